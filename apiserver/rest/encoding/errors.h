// The conversion of errors into HTTP responses. Each task runs on its caller's executor.
#ifndef APISERVER_REST_ENCODING_ERRORS_H_
#define APISERVER_REST_ENCODING_ERRORS_H_

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "kube/meta/status.h"

namespace steward::rest {

// Writes the whole response: the Status object in the media type that the client accepts (indented
// JSON when it accepts none that exists), with Retry-After when the Status has one. Returns an
// error when the client is gone. Parameters passed by reference must outlive the task.
StatusTask RespondStatus(const http::Request& request, http::ResponseWriter& writer,
                         kube::Status status);
// Responds with the Status of an absl::Status. REQUIRES: !error.ok()
StatusTask RespondError(const http::Request& request, http::ResponseWriter& writer,
                        absl::Status error);
// Writes 404 as text, for paths that belong to no API.
StatusTask RespondNoSuchPath(http::ResponseWriter& writer);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_ERRORS_H_

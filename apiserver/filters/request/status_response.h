// Responses written by filters themselves. A client that is gone is not an error. Thread-safe.
#ifndef APISERVER_FILTERS_REQUEST_STATUS_RESPONSE_H_
#define APISERVER_FILTERS_REQUEST_STATUS_RESPONSE_H_

#include <string>

#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "kube/meta/status.h"

namespace steward::filters {

// Writes the whole response: `status` in the media type that the client accepts.
VoidTask RespondStatus(const http::Request& request, http::ResponseWriter& writer,
                       kube::Status status);

// 503: this server cannot yet tell one user from another.
kube::Status UsersNotKnown();

// Writes the whole response as text/plain, in the form of Go's http.Error: a newline is appended.
VoidTask RespondText(http::ResponseWriter& writer, int status, std::string text,
                     http::Headers headers = {});

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REQUEST_STATUS_RESPONSE_H_

// Conversion of a server's HTTP error into a Kubernetes Status. Pure functions.
#ifndef KUBE_CLIENT_HTTP_STATUS_H_
#define KUBE_CLIENT_HTTP_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace steward::kube {

// The absl::Status, with payload, of an answer that is no success: the Status in its body, or for
// any other body (proxies, load balancers) one made from the HTTP code. Its message then quotes the
// body's beginning, and so does, without more, a cause UnexpectedServerResponse, as in client-go.
// `retry_after` (zero = none) fills in the Status' own when that is missing.
absl::Status StatusOfHttpError(int http_code, std::string_view body, absl::Duration retry_after);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_HTTP_STATUS_H_

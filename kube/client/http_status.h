// Conversion of a server's HTTP error into a Kubernetes Status. Pure functions.
#ifndef KUBE_CLIENT_HTTP_STATUS_H_
#define KUBE_CLIENT_HTTP_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace steward::kube {

// The absl::Status, with payload, of an answer that is not a success. The payload is the Status in
// the body. For any other body (proxies, load balancers) it is made from the HTTP code: its message
// quotes the beginning of the body, and a cause UnexpectedServerResponse holds only that quotation,
// as in client-go. `retry_after` (zero = none) is used if the Status has no retry time of its own.
absl::Status StatusOfHttpError(int http_code, std::string_view body, absl::Duration retry_after);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_HTTP_STATUS_H_

// The filter that limits the time of ordinary requests. Thread-safe.
#ifndef APISERVER_FILTERS_DEADLINE_H_
#define APISERVER_FILTERS_DEADLINE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// The `timeout` query parameter, a Go duration, bounded by `max`; absent, zero and negative mean
// `max`. kInvalidArgument "invalid timeout specified in the request URL - ...".
absl::StatusOr<absl::Duration> RequestTimeout(const http::Request& request, absl::Duration max);

// When the request's time is over, cancels `next` and answers 504, or cuts off a response that has
// begun. Long-running requests are exempt. `clock` outlives the handler.
http::Handler WithDeadline(http::Handler next, Clock& clock, absl::Duration max);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_DEADLINE_H_

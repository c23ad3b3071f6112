// How many requests may be worked on at a time.
#ifndef APISERVER_FILTERS_MAX_IN_FLIGHT_H_
#define APISERVER_FILTERS_MAX_IN_FLIGHT_H_

#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/message.h"

namespace steward::filters {

struct InFlightLimits {
  int read_only = 400;  // 0 = no limit
  int mutating = 200;
};

// Above a limit: 429 as text, with Retry-After: 1. Long-running requests do not count; members of
// system:masters are always served. Nothing is queued. `metrics` outlives the handler.
http::Handler WithMaxInFlight(http::Handler next, InFlightLimits limits, RequestMetrics& metrics);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_MAX_IN_FLIGHT_H_

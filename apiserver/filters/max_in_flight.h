// How many requests may be worked on at a time, and who is next.
#ifndef APISERVER_FILTERS_MAX_IN_FLIGHT_H_
#define APISERVER_FILTERS_MAX_IN_FLIGHT_H_

#include "absl/time/time.h"
#include "apiserver/filters/authorizer.h"
#include "apiserver/filters/fairness/pool_metrics.h"
#include "apiserver/filters/fairness/watch_quota.h"
#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

struct InFlightLimits {
  // Of authenticated users, shared fairly. 0 = no limit for anybody.
  int read_only = 400;
  int mutating = 200;
  // Of all who are not, for reads and writes together. A few: what they may do is little.
  int strangers = 20;
  WatchQuota::Limits watches;
  // A fourth of a request's time is the longest wait for a place, as in Kubernetes.
  absl::Duration request_timeout = absl::Minutes(1);
};

struct InFlightMetrics {
  RequestMetrics& requests;
  PoolMetrics& pools;
};

// A request holds a place until its handler returns; a watch, until it has told what there was at
// its beginning (ResponseWriter::Settled). Who cannot have one waits in turn; beyond the bounds of
// the queues or of the wait: 429 as text, with Retry-After: 1. `exempt` needs no place and no
// quota. Clock and metrics outlive the handler.
http::Handler WithMaxInFlight(http::Handler next, AlwaysAllowed exempt, InFlightLimits limits,
                              Clock& clock, InFlightMetrics metrics);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_MAX_IN_FLIGHT_H_

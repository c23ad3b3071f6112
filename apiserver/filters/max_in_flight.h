// The filter that limits the requests handled at a time, with fair queues. Thread-safe.
#ifndef APISERVER_FILTERS_MAX_IN_FLIGHT_H_
#define APISERVER_FILTERS_MAX_IN_FLIGHT_H_

#include "absl/time/time.h"
#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/fairness/user_quota.h"

namespace steward::filters {

struct InFlightLimits {
  // The limits of authenticated users, shared fairly. 0 = no limit for any request.
  int read_only = 400;
  int mutating = 200;
  // The limit of all strangers (see Flow) together, for reads and writes. It is low, because
  // strangers have few rights.
  int strangers = 20;
  UserQuota::Limits watches = {.all = 15'000, .per_user = 5'000};
  // A request waits for a place for at most a fourth of its time, as in Kubernetes.
  absl::Duration request_timeout = absl::Minutes(1);
};

struct InFlightMetrics {
  RequestMetrics& requests;
  PoolMetrics& pools;
};

// A request holds a place until its handler returns; a watch holds it until it has sent its initial
// state (ResponseWriter::Settled). A request without a place waits for its turn. If its queue is
// full, or it has waited too long, it is answered with 429 as text, with Retry-After: 1. Requests
// that `exempt` allows need no place and no quota. Clock and metrics outlive the handler.
http::Handler WithMaxInFlight(http::Handler next, AlwaysAllowed exempt, InFlightLimits limits,
                              Clock& clock, InFlightMetrics metrics);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_MAX_IN_FLIGHT_H_

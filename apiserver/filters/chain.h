// The chain of all filters, in order. Thread-safe.
#ifndef APISERVER_FILTERS_CHAIN_H_
#define APISERVER_FILTERS_CHAIN_H_

#include "apiserver/filters/authentication/authentication.h"
#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/filters/max_in_flight.h"
#include "apiserver/filters/read_body.h"
#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "base/fairness/pool_metrics.h"
#include "kube/audit/log.h"

namespace steward::filters {

// The dependencies of the filters. References outlive the handler.
struct HandlerChainDeps {
  Clock& clock;
  Random& random;
  RequestMetrics& metrics;
  Authenticator& authenticator;
  AlwaysAllowed always_allowed;
  Authorizer& authorizer;
  PoolMetrics& pool_metrics;
  InFlightLimits in_flight;         // its request_timeout is the deadline's too
  audit::Log* audit_log = nullptr;  // null: nothing is recorded
  BodyLimits body;
};

// `api` behind every filter: it receives only requests with info, user and audit id, and only those
// that the user may make.
http::Handler BuildHandlerChain(http::Handler api, HandlerChainDeps deps);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_CHAIN_H_

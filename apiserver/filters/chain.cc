#include "apiserver/filters/chain.h"

#include <utility>

#include "apiserver/filters/audit/access_log.h"
#include "apiserver/filters/audit/audit.h"
#include "apiserver/filters/audit/audit_id.h"
#include "apiserver/filters/authorization/authorization.h"
#include "apiserver/filters/deadline.h"
#include "apiserver/filters/errors.h"
#include "apiserver/filters/impersonation.h"
#include "apiserver/filters/request/request_info.h"
#include "apiserver/filters/response_headers.h"

namespace steward::filters {

http::Handler BuildHandlerChain(http::Handler api, HandlerChainDeps deps) {
  // The filters are added from the innermost, which sees a request last, to the outermost.
  http::Handler handler = std::move(api);
  // A body is read only after authorization has allowed the request.
  handler = WithBody(std::move(handler), std::move(deps.body));
  handler = WithAuthorization(
      std::move(handler), deps.always_allowed,
      {.authorizer = deps.authorizer, .clock = deps.clock, .random = deps.random});
  // Runs after authentication, because fairness and the exemption of system:masters need the user.
  // Runs before authorization, so that refused requests cause no reviews.
  handler = WithMaxInFlight(std::move(handler), std::move(deps.always_allowed), deps.in_flight,
                            deps.clock, {.requests = deps.metrics, .pools = deps.pool_metrics});
  // Runs after authentication, so that requests without valid credentials get 401 and learn nothing
  // about impersonation.
  handler = WithoutImpersonation(std::move(handler));
  // Runs after authentication, because rules of the audit policy name users.
  if (deps.audit_log != nullptr) handler = WithAuditedUser(std::move(handler));
  handler = WithAuthentication(std::move(handler), deps.authenticator);
  // Reviews count against the request's time.
  handler = WithDeadline(std::move(handler), deps.clock, deps.in_flight.request_timeout);
  handler = WithErrors(std::move(handler));
  // Outside of every filter that can answer, so that refusals are audited, too.
  if (deps.audit_log != nullptr) {
    handler = WithAudit(std::move(handler), *deps.audit_log, deps.clock);
  }
  handler = WithMetrics(std::move(handler), deps.metrics, deps.clock);
  handler = WithAccessLog(std::move(handler), deps.clock);
  handler = WithRequestInfo(std::move(handler));
  handler = WithResponseHeaders(std::move(handler));
  handler = WithAuditId(std::move(handler), deps.random);
  return handler;
}

}  // namespace steward::filters

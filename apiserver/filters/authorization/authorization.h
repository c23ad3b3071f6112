// The filter that authorizes requests. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHORIZATION_AUTHORIZATION_H_
#define APISERVER_FILTERS_AUTHORIZATION_AUTHORIZATION_H_

#include <string_view>

#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "kube/meta/status.h"

namespace steward::filters {

// The refusal in Kubernetes' wording: `widgets.g is forbidden: User "u" cannot list resource
// "widgets" in API group "g" in the namespace "ns": <reason>`.
kube::Status ForbiddenStatus(const http::Request& request, std::string_view reason);

// The references outlive the handler.
struct AuthorizationDeps {
  Authorizer& authorizer;
  Clock& clock;
  Random& random;
};

// Passes allowed requests on. Denied: 403 with the reason. Without a decision: 429 when too many
// reviews are under way, 503 while users are not known, else 500, with the cause in the log only.
// The user of a running watch is checked again before it sends something, about once a minute; the
// watch of a user who is refused ends cleanly (RecheckedWriter).
http::Handler WithAuthorization(http::Handler next, AlwaysAllowed always, AuthorizationDeps deps);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHORIZATION_AUTHORIZATION_H_

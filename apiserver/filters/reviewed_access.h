// Access control by the cluster's own RBAC for the few paths of a process that serves no API (as a
// kube-rbac-proxy in front of the process would do). Thread-safe.
#ifndef APISERVER_FILTERS_REVIEWED_ACCESS_H_
#define APISERVER_FILTERS_REVIEWED_ACCESS_H_

#include "apiserver/filters/authentication/authentication.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "apiserver/filters/authentication/authentication_metrics.h"
#include "apiserver/filters/authentication/token_authenticator.h"
#include "apiserver/filters/authorization/authorizer.h"
#include "apiserver/filters/reviews/review_metrics.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "base/fairness/pool_metrics.h"
#include "kube/client/client.h"

namespace prometheus {
class Registry;
}

namespace steward::filters {

// Authenticates by a TokenReview of the bearer token; no other credential counts. Authorizes by a
// SubjectAccessReview of the verb (`get`) on the path as a nonResourceURL. Answers are kept for ten
// seconds. Only few reviews run at a time, so that strangers cannot overload the kube-apiserver
// through this process. Borrows its dependencies.
class ReviewedAccess {
 public:
  ReviewedAccess(kube::Client& reviews, Clock& clock, Random& random,
                 prometheus::Registry& registry);

  // Passes the requests of authorized users on to `next`. Other requests get a Kubernetes Status:
  // 401 without a good token, 403 without the right, 429 while too many reviews run, 500 when there
  // is no decision. The handler must not outlive this object.
  http::Handler Guard(http::Handler next);

 private:
  Clock& clock_;
  Random& random_;
  const AuthenticationConfigStore no_certificates_;
  PoolMetrics pools_;
  ReviewMetrics authentication_metrics_;
  ReviewMetrics authorization_metrics_;
  Reviewer token_reviewer_;
  Reviewer access_reviewer_;
  TokenAuthenticator tokens_;
  AuthenticationMetrics attempts_;
  Authenticator authenticator_;
  ReviewAuthorizer authorizer_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REVIEWED_ACCESS_H_

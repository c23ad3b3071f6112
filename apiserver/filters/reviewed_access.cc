#include "apiserver/filters/reviewed_access.h"

#include <utility>

#include "absl/time/time.h"
#include "apiserver/filters/audit/audit_id.h"
#include "apiserver/filters/authorization/authorization.h"
#include "apiserver/filters/deadline.h"
#include "apiserver/filters/errors.h"
#include "apiserver/filters/request/request_info.h"

namespace steward::filters {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(30);

// Few attempts and places suffice, because a scraper comes again by itself.
ReviewerOptions FewReviews() {
  ReviewerOptions options;
  options.attempts = 2;
  options.places = 20;
  options.stranger_places = 10;
  return options;
}

}  // namespace

ReviewedAccess::ReviewedAccess(kube::Client& reviews, Clock& clock, Random& random,
                               prometheus::Registry& registry)
    : clock_(clock),
      random_(random),
      pools_(registry),
      authentication_metrics_(registry, ReviewMetrics::Kind::kAuthentication),
      authorization_metrics_(registry, ReviewMetrics::Kind::kAuthorization),
      token_reviewer_(reviews, clock, random, authentication_metrics_, pools_, "token-reviews",
                      FewReviews()),
      access_reviewer_(reviews, clock, random, authorization_metrics_, pools_, "access-reviews",
                       FewReviews()),
      tokens_(token_reviewer_, clock),
      attempts_(registry),
      authenticator_(no_certificates_, tokens_, clock, /*allow_anonymous=*/false, &attempts_),
      authorizer_(access_reviewer_, clock) {}

http::Handler ReviewedAccess::Guard(http::Handler next) {
  // From the innermost to the outermost, in the order of BuildHandlerChain.
  const AuthorizationDeps authorization{
      .authorizer = authorizer_, .clock = clock_, .random = random_};
  http::Handler handler = WithAuthorization(std::move(next), AlwaysAllowed(), authorization);
  handler = WithAuthentication(std::move(handler), authenticator_);
  handler = WithDeadline(std::move(handler), clock_, kTimeout);
  handler = WithErrors(std::move(handler));
  handler = WithRequestInfo(std::move(handler));
  handler = WithAuditId(std::move(handler), random_);
  return handler;
}

}  // namespace steward::filters

// The decision whether a user may make a request. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHORIZATION_AUTHORIZER_H_
#define APISERVER_FILTERS_AUTHORIZATION_AUTHORIZER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "apiserver/http/message/message.h"
#include "base/cache/review_cache.h"
#include "base/clock/clock.h"

namespace steward::filters {

struct Decision {
  bool allowed = false;
  std::string reason;
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Decides by Request.user and Request.info. An error means that there is no decision; it never
  // means allowed.
  virtual Task<Decision> Authorize(const http::Request& request) = 0;
};

struct ReviewAuthorizerOptions {
  absl::Duration allowed_ttl = absl::Seconds(10);
  absl::Duration denied_ttl = absl::Seconds(10);
  // Requests with longer targets are decided anew each time: their decisions are not worth keeping.
  size_t max_cached_target = 10'000;
};

// Asks the kube-apiserver by SubjectAccessReview, when the request's flow has its turn. Keeps
// decisions by all that the review's spec is made of: at most 8192 for users and 512 for strangers,
// so that strangers displace only one another. A new decision replaces the least recently used one.
// Errors are not kept. Borrows its dependencies.
class ReviewAuthorizer : public Authorizer {
 public:
  ReviewAuthorizer(Reviewer& reviewer, Clock& clock, ReviewAuthorizerOptions options = {});
  Task<Decision> Authorize(const http::Request& request) override;

 private:
  Task<ReviewCache<Decision>::Loaded> Review(ReviewOrigin origin, boost::json::object spec,
                                             bool cacheable);

  Reviewer& reviewer_;
  const ReviewAuthorizerOptions options_;
  ReviewCache<Decision> users_;
  ReviewCache<Decision> strangers_;
};

// Requests that are allowed without a review: all those of the group system:masters, and some paths
// for every user. Immutable.
class AlwaysAllowed {
 public:
  // Paths match exactly, or up to a trailing '*'; the leading slash is optional. kInvalidArgument
  // for a '*' elsewhere.
  static absl::StatusOr<AlwaysAllowed> Create(const std::vector<std::string>& paths);
  bool Allows(const http::Request& request) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> prefixes_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHORIZATION_AUTHORIZER_H_

// Authentication by bearer tokens, which the kube-apiserver's TokenReview judges. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_TOKEN_AUTHENTICATOR_H_
#define APISERVER_FILTERS_AUTHENTICATION_TOKEN_AUTHENTICATOR_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/fairness/source_rate.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "base/cache/expiring_cache.h"
#include "base/cache/review_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

// Judgements, good and bad, are kept for `ttl`, under the token's SHA-256: no token stays in
// memory. Errors are not kept. At most 4096 good and 1024 bad judgements are kept; a new one
// replaces the least recently used of its kind, so that made-up tokens displace only one another.
//
// A token that was good within the last ten minutes is reviewed again in the fair-queueing flow of
// its user. All other tokens are reviewed in the strangers' flow, with a rate limit for each source
// address (beyond it, the error carries Reviewer::Overloaded()). Borrows its dependencies.
class TokenAuthenticator {
 public:
  TokenAuthenticator(Reviewer& reviewer, Clock& clock, absl::Duration ttl = absl::Seconds(10),
                     SourceRate::Limits first_seen = {});

  // The user of a good token whose judgement is kept; nullopt: call Authenticate.
  std::optional<kube::UserInfo> Kept(std::string_view token);

  // The user of the token; nullopt: the kube-apiserver rejects it. An error: the kube-apiserver
  // could not be reached, or could not judge the token. The flow of `origin` must be a
  // StrangerFlow.
  Task<std::optional<kube::UserInfo>> Authenticate(ReviewOrigin origin, std::string token);

 private:
  using User = std::optional<kube::UserInfo>;
  // Facts that are remembered about tokens besides their current judgements.
  bool IsBad(const std::string& key);
  std::optional<std::string> OwnerOf(const std::string& key);
  void Remember(const std::string& key, const User& user);
  Task<ReviewCache<User>::Loaded> Review(ReviewOrigin origin, const std::string& key,
                                         const std::string& token);

  Reviewer& reviewer_;
  Clock& clock_;
  const absl::Duration ttl_;
  SourceRate first_seen_;
  ReviewCache<User> good_;
  Mutex mutex_;
  ExpiringCache<bool> bad_ ABSL_GUARDED_BY(mutex_);
  ExpiringCache<std::string> owners_ ABSL_GUARDED_BY(mutex_);  // users by their once good tokens
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_TOKEN_AUTHENTICATOR_H_

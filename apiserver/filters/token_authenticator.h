// Bearer tokens, as the kube-apiserver's TokenReview judges them.
#ifndef APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_
#define APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "apiserver/filters/review_cache.h"
#include "apiserver/filters/reviewer.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// The token of `Authorization: Bearer <token>` (the scheme in any case). nullopt for other schemes:
// to Kubernetes those are no credentials.
std::optional<std::string> BearerToken(const http::Headers& headers);

// Judgements, good and bad, are kept for `ttl`; at most 4096, the least recently used making room.
// They are kept under the token's SHA-256: no token stays in memory. Errors are not kept.
// Thread-safe. Borrows its dependencies.
class TokenAuthenticator {
 public:
  TokenAuthenticator(Reviewer& reviewer, Clock& clock, absl::Duration ttl = absl::Seconds(10));

  // The user the token stands for; nullopt: the kube-apiserver says that it is not good. An error:
  // it could not be asked, or could not judge.
  Task<std::optional<http::UserInfo>> Authenticate(std::string token);

 private:
  using User = std::optional<http::UserInfo>;
  Task<ReviewCache<User>::Loaded> Review(const std::string& token);

  Reviewer& reviewer_;
  const absl::Duration ttl_;
  ReviewCache<User> cache_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_

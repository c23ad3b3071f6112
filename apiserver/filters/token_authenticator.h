// Bearer tokens, as the kube-apiserver's TokenReview judges them.
#ifndef APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_
#define APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "apiserver/filters/reviewer.h"
#include "apiserver/http/message.h"
#include "base/cache/review_cache.h"
#include "base/clock/clock.h"

namespace steward::filters {

// The token of `Authorization: Bearer <token>` (the scheme in any case). nullopt for other schemes:
// to Kubernetes those are no credentials.
std::optional<std::string> BearerToken(const http::Headers& headers);

// The token that a browser, which can set no headers, offers as the WebSocket subprotocol
// base64url.bearer.authorization.k8s.io.<base64url of the token, without padding>. nullopt: there
// is none, or the request asks for no WebSocket. kUnauthenticated: there are two, it cannot be
// decoded, or it is offered alone, so that nothing could be selected when it is taken out.
absl::StatusOr<std::optional<std::string>> WebSocketToken(const http::Request& request);
// Takes such subprotocols out of what is offered: no token is ever echoed.
void RemoveWebSocketTokens(http::Headers& headers);

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

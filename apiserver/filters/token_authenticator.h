// Bearer tokens, as the kube-apiserver's TokenReview judges them.
#ifndef APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_
#define APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/fairness/source_rate.h"
#include "apiserver/filters/reviewer.h"
#include "apiserver/http/message.h"
#include "base/cache/expiring_cache.h"
#include "base/cache/review_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

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

// Judgements, good and bad, are kept for `ttl`, under the token's SHA-256: no token stays in
// memory. Errors are not kept. At most 4096 good ones and 1024 bad ones, the least recently used
// making room among its like, so that made-up tokens displace one another alone.
//
// A token that was good within the last ten minutes is its user's: it is judged anew in the user's
// turn. All others are strangers', and their sources' rate is limited (the error then carries
// Reviewer::Overloaded()). Thread-safe. Borrows its dependencies.
class TokenAuthenticator {
 public:
  TokenAuthenticator(Reviewer& reviewer, Clock& clock, absl::Duration ttl = absl::Seconds(10),
                     SourceRate::Limits first_seen = {});

  // The user of a good token whose judgement is kept; nullopt: ask Authenticate.
  std::optional<http::UserInfo> Kept(std::string_view token);

  // The user the token stands for; nullopt: the kube-apiserver says that it is not good. An error:
  // it could not be asked, or could not judge. The flow of `origin`: as StrangerFlow.
  Task<std::optional<http::UserInfo>> Authenticate(ReviewOrigin origin, std::string token);

 private:
  using User = std::optional<http::UserInfo>;
  // What is remembered of tokens beside their present judgements.
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
  ExpiringCache<std::string> owners_ ABSL_GUARDED_BY(mutex_);  // users by the tokens that were good
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TOKEN_AUTHENTICATOR_H_

// The bearer tokens of requests, in their headers and in the subprotocols of WebSockets. Pure
// functions.
#ifndef APISERVER_FILTERS_AUTHENTICATION_BEARER_TOKEN_H_
#define APISERVER_FILTERS_AUTHENTICATION_BEARER_TOKEN_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::filters {

// The token of `Authorization: Bearer <token>` (the scheme in any case). nullopt for other schemes,
// which Kubernetes does not treat as credentials.
std::optional<std::string> BearerToken(const http::Headers& headers);

// The token that a browser, which cannot set headers, offers as the WebSocket subprotocol
// base64url.bearer.authorization.k8s.io.<base64url of the token, without padding>. nullopt when
// there is none, or the request asks for no WebSocket. kUnauthenticated when there are two, when it
// cannot be decoded, or when no other subprotocol is offered, so that none could be selected after
// its removal.
absl::StatusOr<std::optional<std::string>> WebSocketToken(const http::Request& request);
// Removes such subprotocols from the offered ones: no token is ever echoed.
void RemoveWebSocketTokens(http::Headers& headers);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_BEARER_TOKEN_H_

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
// there is none, or the request asks for no WebSocket. kUnauthenticated if the client offers two
// tokens, if the token cannot be decoded, or if no other subprotocol is offered: then the server
// could select none after it has removed the token.
absl::StatusOr<std::optional<std::string>> WebSocketToken(const http::Request& request);
// Removes subprotocols with tokens from the offered ones, so that the server never echoes a token.
void RemoveWebSocketTokens(http::Headers& headers);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_BEARER_TOKEN_H_

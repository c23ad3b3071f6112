// What a request says about the WebSocket it asks for (RFC 6455 section 4), judged as
// kube-apiserver does.
#ifndef APISERVER_HTTP_WEBSOCKET_HANDSHAKE_H_
#define APISERVER_HTTP_WEBSOCKET_HANDSHAKE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"

namespace steward::http {

// Upgrade is "websocket" and nothing else, and Connection mentions "upgrade".
bool AsksForWebSocket(const Headers& headers);

// The subprotocols that the client offers: the members of all Sec-WebSocket-Protocol fields,
// without the white space around them; empty ones stay.
std::vector<std::string_view> OfferedSubprotocols(const Headers& headers);

struct WebSocketHandshake {
  std::string key;
  std::string subprotocol;  // the one to echo; "" = none
};

// kPermissionDenied without an Origin that is a URI ("null" is none): who has no origin is no
// browser's page that was let in, and other clients can name any. kInvalidArgument for another
// version than 13, a key that cannot be one, or several subprotocols: what they mean for a watch is
// not defined, so there is none to prefer.
absl::StatusOr<WebSocketHandshake> ReadWebSocketHandshake(const Headers& headers);

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_HANDSHAKE_H_

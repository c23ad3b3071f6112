// The handshake of a requested WebSocket (RFC 6455 section 4), judged as kube-apiserver does. Pure
// functions.
#ifndef APISERVER_HTTP_WEBSOCKET_WEBSOCKET_HANDSHAKE_H_
#define APISERVER_HTTP_WEBSOCKET_WEBSOCKET_HANDSHAKE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::http {

// True when Upgrade is "websocket" and nothing else, and Connection mentions "upgrade".
bool AsksForWebSocket(const Headers& headers);

// The subprotocols that the client offers: the members of all Sec-WebSocket-Protocol fields,
// without the white space around them, and including empty ones.
std::vector<std::string_view> OfferedSubprotocols(
    const Headers& headers ABSL_ATTRIBUTE_LIFETIME_BOUND);

struct WebSocketHandshake {
  std::string key;
  std::string subprotocol;  // the one to echo; "" = none
};

// kPermissionDenied without an Origin that is a URI ("null" is none): a request without an origin
// does not come from the page of a browser, and other clients can send any origin. kInvalidArgument
// for a version other than 13, an impossible key, or several subprotocols: they have no defined
// meaning for a watch, so none can be preferred.
absl::StatusOr<WebSocketHandshake> ReadWebSocketHandshake(const Headers& headers);

}  // namespace steward::http

#endif  // APISERVER_HTTP_WEBSOCKET_WEBSOCKET_HANDSHAKE_H_

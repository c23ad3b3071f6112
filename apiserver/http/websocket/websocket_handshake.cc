#include "apiserver/http/websocket/websocket_handshake.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

// The length of 16 bytes in base64.
constexpr size_t kMaxKey = 24;

std::string_view Trimmed(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

std::string_view ValueOf(const Headers& headers, std::string_view name) {
  const std::string* value = headers.Find(name);
  return value != nullptr ? Trimmed(*value) : std::string_view();
}

bool IsVisible(char c) { return c > 0x20 && c < 0x7f; }

bool IsSchemeCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
}

bool IsUri(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view scheme = text.substr(0, colon);
  return absl::ascii_isalpha(static_cast<unsigned char>(scheme[0])) &&
         std::all_of(scheme.begin(), scheme.end(), IsSchemeCharacter) &&
         std::all_of(text.begin(), text.end(), IsVisible);
}

}  // namespace

bool AsksForWebSocket(const Headers& headers) {
  if (!absl::EqualsIgnoreCase(ToAbsl(ValueOf(headers, "Upgrade")), "websocket")) return false;
  const std::vector<std::string_view> connection = headers.FindAll("Connection");
  return std::any_of(connection.begin(), connection.end(), [](std::string_view value) {
    return absl::StrContains(absl::AsciiStrToLower(ToAbsl(value)), "upgrade");
  });
}

std::vector<std::string_view> OfferedSubprotocols(const Headers& headers) {
  std::vector<std::string_view> offered;
  for (const std::string_view value : headers.FindAll("Sec-WebSocket-Protocol")) {
    for (const absl::string_view member : absl::StrSplit(ToAbsl(value), ',')) {
      offered.push_back(Trimmed(ToStd(member)));
    }
  }
  return offered;
}

absl::StatusOr<WebSocketHandshake> ReadWebSocketHandshake(const Headers& headers) {
  const std::string_view key = ValueOf(headers, "Sec-WebSocket-Key");
  if (key.empty() || key.size() > kMaxKey) {
    return absl::InvalidArgumentError("missing or bad Sec-WebSocket-Key");
  }
  if (ValueOf(headers, "Sec-WebSocket-Version") != "13") {
    return absl::InvalidArgumentError("missing or bad Sec-WebSocket-Version: 13 is supported");
  }
  if (!IsUri(ValueOf(headers, "Origin"))) {
    return absl::PermissionDeniedError("a WebSocket needs an Origin header that holds a URI");
  }
  const std::vector<std::string_view> offered = OfferedSubprotocols(headers);
  if (offered.size() > 1) {
    return absl::InvalidArgumentError("more than one WebSocket subprotocol was offered");
  }
  WebSocketHandshake handshake;
  handshake.key = key;
  if (!offered.empty()) handshake.subprotocol = offered.front();
  return handshake;
}

}  // namespace steward::http

#include "apiserver/filters/authentication/bearer_token.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "base/json/utf8.h"
#include "base/text/str_cat.h"

namespace steward::filters {
namespace {

constexpr std::string_view kTokenSubprotocol = "base64url.bearer.authorization.k8s.io.";

// absl's decoder would also accept white space and padding, which no subprotocol's name has.
bool IsBase64Url(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = DecodeUtf8(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

std::optional<std::string> BearerToken(const http::Headers& headers) {
  const std::string* header = headers.Find("Authorization");
  if (header == nullptr) return std::nullopt;
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(*header), absl::MaxSplits(' ', 2));
  if (parts.size() < 2 || !absl::EqualsIgnoreCase(parts[0], "bearer")) return std::nullopt;
  if (parts[1].empty()) return std::nullopt;
  return std::string(parts[1]);
}

absl::StatusOr<std::optional<std::string>> WebSocketToken(const http::Request& request) {
  if (!request.websocket) return std::nullopt;
  std::optional<std::string_view> encoded;
  bool alone = true;
  for (const std::string_view subprotocol : http::OfferedSubprotocols(request.headers)) {
    if (!subprotocol.starts_with(kTokenSubprotocol)) {
      alone = false;
    } else if (encoded.has_value()) {
      return absl::UnauthenticatedError("several bearer tokens among the WebSocket subprotocols");
    } else {
      encoded = subprotocol.substr(kTokenSubprotocol.size());
    }
  }
  if (!encoded.has_value() || encoded->empty()) return std::nullopt;
  std::string token;
  if (!IsBase64Url(*encoded) || !absl::WebSafeBase64Unescape(ToAbsl(*encoded), &token) ||
      !IsUtf8(token)) {
    return absl::UnauthenticatedError("the WebSocket's bearer token cannot be decoded");
  }
  if (alone) {
    return absl::UnauthenticatedError("a WebSocket's bearer token needs a second subprotocol");
  }
  return token;
}

void RemoveWebSocketTokens(http::Headers& headers) {
  std::string kept;
  bool removed = false;
  for (const std::string_view subprotocol : http::OfferedSubprotocols(headers)) {
    if (subprotocol.starts_with(kTokenSubprotocol)) {
      removed = true;
    } else {
      StrAppend(&kept, kept.empty() ? "" : ",", subprotocol);
    }
  }
  if (!removed) return;
  headers.Remove("Sec-WebSocket-Protocol");
  if (!kept.empty()) headers.Set("Sec-WebSocket-Protocol", std::move(kept));
}

}  // namespace steward::filters

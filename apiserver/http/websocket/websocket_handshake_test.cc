#include "apiserver/http/websocket/websocket_handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Fields = std::vector<std::pair<std::string, std::string>>;

Headers Of(const Fields& fields) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

TEST(WebSocketHandshakeTest, WhoAsks) {
  const struct {
    Fields fields;
    bool asks;
  } kRows[] = {
      {{{"Upgrade", "websocket"}, {"Connection", "Upgrade"}}, true},
      {{{"upgrade", "WebSocket"}, {"connection", "keep-alive, upgrade"}}, true},
      {{{"Upgrade", "websocket"}, {"Connection", "keep-alive"}, {"Connection", "Upgrade"}}, true},
      {{{"Upgrade", "websocket"}, {"Connection", "keep-alive"}}, false},
      {{{"Upgrade", "websocket"}}, false},
      {{{"Connection", "Upgrade"}}, false},
      {{{"Upgrade", "websocket, h2c"}, {"Connection", "Upgrade"}}, false},
      {{{"Upgrade", "SPDY/3.1"}, {"Connection", "Upgrade"}}, false},
      {{}, false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(::testing::PrintToString(row.fields));
    EXPECT_EQ(AsksForWebSocket(Of(row.fields)), row.asks);
  }
}

TEST(WebSocketHandshakeTest, Subprotocols) {
  EXPECT_THAT(OfferedSubprotocols(Of({})), IsEmpty());
  EXPECT_THAT(OfferedSubprotocols(
                  Of({{"Sec-WebSocket-Protocol", " a ,b"}, {"sec-websocket-protocol", "c,"}})),
              ElementsAre("a", "b", "c", ""));
}

// The answers of kube-apiserver 1.36.3 to the same requests; two exceptions are marked.
TEST(WebSocketHandshakeTest, Judgement) {
  constexpr auto kOk = absl::StatusCode::kOk;
  constexpr auto kBad = absl::StatusCode::kInvalidArgument;
  constexpr auto kForbidden = absl::StatusCode::kPermissionDenied;
  constexpr char kKey[] = "dGhlIHNhbXBsZSBub25jZQ==";
  const struct {
    std::string name;
    Fields changed;  // an empty value removes the field
    absl::StatusCode code;
    std::string subprotocol;
  } kRows[] = {
      {"plain", {}, kOk, ""},
      {"no origin", {{"Origin", ""}}, kForbidden, ""},
      {"opaque origin", {{"Origin", "null"}}, kForbidden, ""},
      {"no scheme", {{"Origin", "console"}}, kForbidden, ""},
      {"empty scheme", {{"Origin", "://x"}}, kForbidden, ""},
      {"white space", {{"Origin", "http://a b"}}, kForbidden, ""},
      {"origin of a file", {{"Origin", "file://"}}, kOk, ""},
      {"origin of an extension", {{"Origin", "chrome-extension://abc"}}, kOk, ""},
      {"one subprotocol", {{"Sec-WebSocket-Protocol", " v4.channel "}}, kOk, "v4.channel"},
      {"two subprotocols", {{"Sec-WebSocket-Protocol", "a, b"}}, kBad, ""},
      {"half of two", {{"Sec-WebSocket-Protocol", "a,"}}, kBad, ""},
      {"no key", {{"Sec-WebSocket-Key", ""}}, kBad, ""},
      {"short key", {{"Sec-WebSocket-Key", "x"}}, kOk, ""},
      {"long key (exception)", {{"Sec-WebSocket-Key", std::string(25, 'x')}}, kBad, ""},
      {"no version", {{"Sec-WebSocket-Version", ""}}, kBad, ""},
      {"old version", {{"Sec-WebSocket-Version", "8"}}, kBad, ""},
      {"version before origin", {{"Sec-WebSocket-Version", "8"}, {"Origin", ""}}, kBad, ""},
      {"origin before subprotocols",
       {{"Sec-WebSocket-Protocol", "a,b"}, {"Origin", ""}},
       kForbidden,
       ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    Headers headers = Of({{"Sec-WebSocket-Key", kKey},
                          {"Sec-WebSocket-Version", "13"},
                          {"Origin", "https://console.example.com"}});
    for (const auto& [name, value] : row.changed) {
      value.empty() ? headers.Remove(name) : headers.Set(name, value);
    }
    const absl::StatusOr<WebSocketHandshake> handshake = ReadWebSocketHandshake(headers);
    EXPECT_EQ(handshake.status().code(), row.code) << handshake.status();
    if (!handshake.ok()) continue;
    EXPECT_EQ(handshake->subprotocol, row.subprotocol);
    EXPECT_EQ(handshake->key, *headers.Find("Sec-WebSocket-Key"));
  }
  // The second exception: fields of one name form one list.
  Headers twice = Of({{"Sec-WebSocket-Key", kKey},
                      {"Sec-WebSocket-Version", "13"},
                      {"Origin", "http://x"},
                      {"Sec-WebSocket-Protocol", "a"},
                      {"Sec-WebSocket-Protocol", "b"}});
  EXPECT_THAT(ReadWebSocketHandshake(twice), StatusIs(kBad));
}

}  // namespace
}  // namespace steward::http

#include "apiserver/filters/authentication/bearer_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "base/status/matchers.h"

namespace steward::filters {
namespace {

http::Request Offering(std::vector<std::string> fields) {
  http::Request request;
  request.websocket = true;
  for (std::string& field : fields) {
    request.headers.Add("Sec-WebSocket-Protocol", std::move(field));
  }
  return request;
}

// The results of kube-apiserver 1.36.3 for the same headers.
TEST(WebSocketTokenTest, Subprotocols) {
  const std::string prefix = "base64url.bearer.authorization.k8s.io.";
  const std::string good = prefix + "Z29vZA";  // "good"
  const struct {
    std::string name;
    std::vector<std::string> fields;
    std::string want;  // the token; "-" = none, "401" = bad
    std::string kept;  // what is left of the header
  } kRows[] = {
      {"nothing", {}, "-", ""},
      {"no token", {"a, b"}, "-", "a, b"},
      {"first", {good + ", base64.binary.k8s.io"}, "good", "base64.binary.k8s.io"},
      {"last", {"a," + good}, "good", "a"},
      {"in the middle", {"a," + good + ",b"}, "good", "a,b"},
      {"in another field", {"a", good}, "good", "a"},
      {"alone", {good}, "401", ""},
      {"beside nothing", {good + ","}, "good", ""},
      {"twice", {"a," + good + "," + good}, "401", "a"},
      {"empty", {"a," + prefix}, "-", "a"},
      {"no base64", {"a," + prefix + "!!!!"}, "401", "a"},
      {"padded", {"a," + prefix + "Z29vZA=="}, "401", "a"},
      {"white space", {"a," + prefix + "Z29v ZA"}, "401", "a"},
      {"standard alphabet", {"a," + prefix + "/+/+"}, "401", "a"},
      {"URL alphabet, no UTF-8", {"a," + prefix + "_-_-"}, "401", "a"},
      {"impossible length", {"a," + prefix + "Z29vZ"}, "401", "a"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request = Offering(row.fields);
    const absl::StatusOr<std::optional<std::string>> token = WebSocketToken(request);
    EXPECT_EQ(token.ok() ? token->value_or("-") : "401", row.want) << token.status();
    if (!token.ok()) {
      EXPECT_THAT(token, StatusIs(absl::StatusCode::kUnauthenticated));
    }
    RemoveWebSocketTokens(request.headers);
    const std::string* kept = request.headers.Find("Sec-WebSocket-Protocol");
    EXPECT_EQ(kept != nullptr ? *kept : "", row.kept);
  }
  http::Request other = Offering({"a," + good});
  other.websocket = false;
  EXPECT_THAT(WebSocketToken(other), IsOkAndHolds(std::nullopt));
}

}  // namespace
}  // namespace steward::filters

#include "console/server/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const AccessOptions kByToken = {.authentication = Authentication::kToken};
const AccessOptions kByProxy = {.authentication = Authentication::kTokenHeader,
                                .token_header = "X-Forwarded-Access-Token"};
const AccessOptions kByKey = {.authentication = Authentication::kKubeconfig, .key = "0123abcd"};

std::string Subprotocols(std::string_view token) {
  return "base64url.bearer.authorization.k8s.io." +
         absl::WebSafeBase64Escape(absl::string_view(token.data(), token.size())) + ", steward";
}

http::Request Make(std::string_view method, const Fields& fields, bool websocket = false) {
  http::Request request = filters::MakeRequest(method, "/api/v1/pods");
  for (const auto& [name, value] : fields) request.headers.Add(name, value);
  request.websocket = websocket;
  return request;
}

// The header to send on, or the code of the refusal.
std::string Outcome(const AccessOptions& options, const http::Request& request) {
  const absl::StatusOr<Grant> grant = Authorize(options, request);
  if (!grant.ok()) return std::to_string(kube::FromStatus(grant.status()).code);
  return grant->authorization.empty() ? "own" : grant->authorization;
}

TEST(AccessTest, ByTheUsersToken) {
  const struct {
    Fields fields;
    bool websocket = false;
    std::string want;
  } kRows[] = {
      {{{"Authorization", "Bearer abc"}}, false, "Bearer abc"},
      {{{"Authorization", "bearer  abc"}}, false, "401"},
      {{{"authorization", "bearer abc"}}, false, "Bearer abc"},
      {{}, false, "401"},
      {{{"Authorization", "Basic YTpi"}}, false, "401"},
      {{{"Authorization", "Bearer"}}, false, "401"},
      {{{"Authorization", "Bearer a\tb"}}, false, "401"},
      {{{"X-Forwarded-Access-Token", "abc"}}, false, "401"},
      {{{"Sec-WebSocket-Protocol", Subprotocols("abc")}}, true, "Bearer abc"},
      {{{"Sec-WebSocket-Protocol", Subprotocols("abc")}}, false, "401"},
      {{{"Sec-WebSocket-Protocol", "base64url.bearer.authorization.k8s.io.YWJj"}}, true, "401"},
      {{{"Sec-WebSocket-Protocol", Subprotocols("a\r\nX-Remote-User: x")}}, true, "401"},
      {{{"Cookie", "token=abc"}}, false, "401"},
  };
  for (const auto& row : kRows) {
    const http::Request request = Make("GET", row.fields, row.websocket);
    EXPECT_EQ(Outcome(kByToken, request), row.want)
        << (row.fields.empty() ? "nothing" : row.fields.front().second);
  }
}

TEST(AccessTest, ByTheTokenOfAProxy) {
  const std::pair<std::string, std::string> token = {"x-forwarded-access-token", "abc"};
  const std::pair<std::string, std::string> host = {"Host", "steward.example.com"};
  const struct {
    const char* name;
    std::string method;
    Fields fields;
    bool websocket = false;
    std::string want;
  } kRows[] = {
      {"a read", "GET", {token}, false, "Bearer abc"},
      {"a head", "HEAD", {token}, false, "Bearer abc"},
      {"the browser's own is ignored",
       "GET",
       {token, {"Authorization", "Bearer other"}},
       false,
       "Bearer abc"},
      {"only the browser's own", "GET", {{"Authorization", "Bearer other"}}, false, "401"},
      {"two of them", "GET", {token, token}, false, "401"},
      {"an empty one", "GET", {{"X-Forwarded-Access-Token", ""}}, false, "401"},
      {"a write from nowhere", "POST", {token, host}, false, "403"},
      {"a write of this origin",
       "POST",
       {token, host, {"Sec-Fetch-Site", "same-origin"}},
       false,
       "Bearer abc"},
      {"a write of another site",
       "POST",
       {token, host, {"Sec-Fetch-Site", "cross-site"}},
       false,
       "403"},
      {"a write of a sister",
       "DELETE",
       {token, host, {"Sec-Fetch-Site", "same-site"}},
       false,
       "403"},
      {"a write by hand", "DELETE", {token, host, {"Sec-Fetch-Site", "none"}}, false, "403"},
      {"an old browser",
       "PATCH",
       {token, host, {"Origin", "https://steward.example.com"}},
       false,
       "Bearer abc"},
      {"an old browser on another site",
       "PUT",
       {token, host, {"Origin", "https://evil.example.com"}},
       false,
       "403"},
      {"a WebSocket of this origin",
       "GET",
       {token, host, {"Origin", "https://STEWARD.example.com"}},
       true,
       "Bearer abc"},
      {"a WebSocket of another",
       "GET",
       {token, host, {"Origin", "https://evil.example.com"}},
       true,
       "403"},
      {"a WebSocket from nowhere", "GET", {token, host}, true, "403"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Outcome(kByProxy, Make(row.method, row.fields, row.websocket)), row.want) << row.name;
  }
}

TEST(AccessTest, ByTheKey) {
  const struct {
    Fields fields;
    bool websocket = false;
    std::string want;
  } kRows[] = {
      {{{"Authorization", "Bearer 0123abcd"}}, false, "own"},
      {{{"Authorization", "Bearer 0123abcD"}}, false, "401"},
      {{{"Authorization", "Bearer 0123abc"}}, false, "401"},
      {{{"Authorization", "Bearer 0123abcde"}}, false, "401"},
      {{}, false, "401"},
      {{{"Sec-WebSocket-Protocol", Subprotocols("0123abcd")}}, true, "own"},
      {{{"Sec-WebSocket-Protocol", Subprotocols("0123")}}, true, "401"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Outcome(kByKey, Make("GET", row.fields, row.websocket)), row.want);
  }
  EXPECT_EQ(Outcome({.authentication = Authentication::kKubeconfig},
                    Make("GET", {{"Authorization", "Bearer "}})),
            "401");
}

TEST(AccessTest, WhoWaits) {
  const http::Request request =
      Make("GET", {{"Authorization", "Bearer abc"}, {"X-Forwarded-Access-Token", "abc"}});
  EXPECT_EQ(Authorize(kByToken, request)->requester, "127.0.0.1");
  const std::string digest = Authorize(kByProxy, request)->requester;
  EXPECT_EQ(digest.size(), 64u);
}

TEST(AccessTest, SameOrigin) {
  const struct {
    Fields fields;
    bool want;
  } kRows[] = {
      {{{"Sec-Fetch-Site", "same-origin"}}, true},
      {{{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "cross-site"}}, false},
      {{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://a"}, {"Host", "a"}}, false},
      {{{"Origin", "https://a:9443"}, {"Host", "a:9443"}}, true},
      {{{"Origin", "https://a"}, {"Host", "a:9443"}}, false},
      {{{"Origin", "null"}, {"Host", "null"}}, false},
      {{{"Origin", "https://"}, {"Host", ""}}, false},
      {{{"Origin", "https://a"}, {"Origin", "https://a"}, {"Host", "a"}}, false},
      {{{"Host", "a"}}, false},
      {{}, false},
  };
  for (const auto& row : kRows) EXPECT_EQ(IsSameOrigin(Make("POST", row.fields)), row.want);
}

TEST(AccessTest, HostsOfThisMachine) {
  const struct {
    std::string_view host;
    bool want;
  } kRows[] = {
      {"localhost", true},
      {"LOCALHOST:9443", true},
      {"127.0.0.1", true},
      {"127.0.0.1:9443", true},
      {"127.1.2.3:80", true},
      {"[::1]", true},
      {"[::1]:9443", true},
      {"", false},
      {"::1", false},
      {"localhost.", false},
      {"[localhost]", false},
      {"evil.example.com", false},
      {"evil.example.com:9443", false},
      {"127.0.0.1.evil.example.com", false},
      {"localhost.evil.example.com:1", false},
      {"[::1]evil", false},
      {"[::1", false},
      {"192.0.2.1", false},
      {"0.0.0.0:9443", false},
      {"[::]:9443", false},
  };
  for (const auto& row : kRows) EXPECT_EQ(NamesLoopback(row.host), row.want) << row.host;
}

TEST(AccessTest, Names) {
  EXPECT_EQ(NameOf(Authentication::kToken), "token");
  EXPECT_EQ(NameOf(Authentication::kTokenHeader), "header");
  EXPECT_EQ(NameOf(Authentication::kKubeconfig), "kubeconfig");
}

}  // namespace
}  // namespace steward::console

#include "kube/client/proxy.h"

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = Proxy::Kind;

TEST(ProxyTest, Urls) {
  struct Row {
    const char* url;
    Proxy proxy;
    const char* shown;
  };
  const std::vector<Row> rows = {
      {"http://proxy.test:3128",
       {Kind::kHttp, "proxy.test", 3128, "", ""},
       "http://proxy.test:3128"},
      {"http://proxy.test", {Kind::kHttp, "proxy.test", 80, "", ""}, "http://proxy.test:80"},
      {"https://proxy.test/", {Kind::kHttps, "proxy.test", 443, "", ""}, "https://proxy.test:443"},
      {"socks5://10.0.0.1", {Kind::kSocks5, "10.0.0.1", 1080, "", ""}, "socks5://10.0.0.1:1080"},
      {"HTTP://[fd00::1]:8080", {Kind::kHttp, "fd00::1", 8080, "", ""}, "http://[fd00::1]:8080"},
      {"http://us%40er:p%3Aw@h:1", {Kind::kHttp, "h", 1, "us@er", "p:w"}, "http://h:1"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.url);
    ASSERT_OK_AND_ASSIGN(const Proxy proxy, ParseProxyUrl(row.url));
    EXPECT_EQ(proxy, row.proxy);
    EXPECT_EQ(ToString(proxy), row.shown);
  }
}

TEST(ProxyTest, BadUrlsAreNotQuoted) {
  for (const char* url : {"", "proxy.test:3128", "ftp://secret@h", "socks4://h", "http://",
                          "http://u:secret@", "http://h:99999", "http://h:0", "http://h\r\nX: y",
                          "http://u:secret@h:port", "socks5h://secret@h"}) {
    EXPECT_THAT(ParseProxyUrl(url),
                StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))))
        << url;
  }
}

TEST(ProxyTest, Authorization) {
  EXPECT_EQ(ProxyAuthorization({Kind::kHttp, "h", 1, "", ""}), "");
  EXPECT_EQ(ProxyAuthorization({Kind::kHttp, "h", 1, "user", "pass"}), "Basic dXNlcjpwYXNz");
}

// The rules of Go's httpproxy.
TEST(ProxyTest, OfTheEnvironment) {
  using Variables = std::map<std::string, std::string>;
  struct Row {
    const char* name;
    Variables variables;
    bool tls;
    const char* host;
    int port;
    const char* proxy;  // "" = none
  };
  const auto all_but = [](const char* names) {
    return Variables{{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", names}};
  };
  const std::vector<Row> rows = {
      {"nothing set", {}, true, "h.test", 443, ""},
      {"for TLS", {{"HTTPS_PROXY", "http://p:1"}}, true, "h.test", 443, "http://p:1"},
      {"not for TLS", {{"HTTPS_PROXY", "http://p:1"}}, false, "h.test", 80, ""},
      {"plain", {{"HTTP_PROXY", "http://p:1"}}, false, "h.test", 80, "http://p:1"},
      {"lower case", {{"https_proxy", "socks5://p:1"}}, true, "h.test", 443, "socks5://p:1"},
      {"upper case first",
       {{"https_proxy", "http://lower:1"}, {"HTTPS_PROXY", "http://upper:1"}},
       true,
       "h.test",
       443,
       "http://upper:1"},
      {"without a scheme",
       {{"HTTPS_PROXY", "p.test:3128"}},
       true,
       "h.test",
       443,
       "http://p.test:3128"},
      {"no URL", {{"HTTPS_PROXY", "://"}}, true, "h.test", 443, ""},
      {"this machine", all_but(""), true, "localhost", 443, ""},
      {"its address", all_but(""), true, "127.0.0.5", 443, ""},
      {"its other address", all_but(""), true, "::1", 443, ""},
      {"none at all", all_but("*"), true, "h.test", 443, ""},
      {"a name", all_but("a.test, h.test"), true, "h.test", 443, ""},
      {"below a name", all_but("test"), true, "h.test", 443, ""},
      {"no end of a name", all_but("est"), true, "h.test", 443, "http://p:1"},
      {"only below", all_but(".h.test"), true, "h.test", 443, "http://p:1"},
      {"only below, below", all_but("*.h.test"), true, "a.h.test", 443, ""},
      {"capital letters", all_but("H.Test"), true, "h.tesT", 443, ""},
      {"with its port", all_but("h.test:443"), true, "h.test", 443, ""},
      {"with another port", all_but("h.test:8443"), true, "h.test", 443, "http://p:1"},
      {"an address", all_but("10.0.0.1"), true, "10.0.0.1", 443, ""},
      {"another address", all_but("10.0.0.2"), true, "10.0.0.1", 443, "http://p:1"},
      {"a block", all_but(".svc,172.30.0.0/16"), true, "172.30.0.1", 443, ""},
      {"another block", all_but("172.31.0.0/16"), true, "172.30.0.1", 443, "http://p:1"},
      {"a block of IPv6", all_but("fd00::/8"), true, "fd02::1", 443, ""},
      {"an address of IPv6", all_but("[fd02::1]:443"), true, "fd02::1", 443, ""},
      {"a block is no name", all_but("10.0.0.0/8"), true, "h.test", 443, "http://p:1"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Environment environment = [&row](const char* name) {
      const auto found = row.variables.find(name);
      return found == row.variables.end() ? "" : found->second;
    };
    const std::optional<Proxy> proxy =
        ProxyOfEnvironment(row.tls, row.host, static_cast<uint16_t>(row.port), environment);
    EXPECT_EQ(proxy ? ToString(*proxy) : "", row.proxy);
  }
}

}  // namespace
}  // namespace steward::kube

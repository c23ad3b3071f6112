#include "kube/client/config.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

struct UrlCase {
  const char* url;
  bool tls;
  const char* host;
  int port;
  const char* path_prefix;
};

TEST(ConfigTest, ServerUrls) {
  const std::vector<UrlCase> rows = {
      {"https://10.0.0.1:6443", true, "10.0.0.1", 6443, ""},
      {"https://api.example.com", true, "api.example.com", 443, ""},
      {"https://api.example.com/", true, "api.example.com", 443, ""},
      {"https://api.example.com:8443/k8s/clusters/c-1/", true, "api.example.com", 8443,
       "/k8s/clusters/c-1"},
      {"https://[fd00::1]:6443", true, "fd00::1", 6443, ""},
      {"https://[::1]", true, "::1", 443, ""},
      {"http://localhost:8001", false, "localhost", 8001, ""},
      {"http://localhost", false, "localhost", 80, ""},
  };
  for (const UrlCase& row : rows) {
    SCOPED_TRACE(row.url);
    ClientConfig config;
    ASSERT_OK(SetServerUrl(row.url, config));
    EXPECT_EQ(config.tls, row.tls);
    EXPECT_EQ(config.host, row.host);
    EXPECT_EQ(config.port, row.port);
    EXPECT_EQ(config.path_prefix, row.path_prefix);
  }
}

TEST(ConfigTest, BadServerUrls) {
  for (const char* url :
       {"", "10.0.0.1:6443", "ftp://a", "https://", "https://:6443", "https://a:", "https://a:0",
        "https://a:65536", "https://a:x", "https://a:-1", "https://[::1", "https://[::1]x",
        "https://u:p@a", "https://a b", "https://a/b c", "https://a/b?c", "https://a\r\nX: y",
        "https://a/\r\nX: y", "https://a%00"}) {
    ClientConfig config;
    EXPECT_THAT(SetServerUrl(url, config), StatusIs(absl::StatusCode::kInvalidArgument)) << url;
  }
}

TEST(ConfigTest, HostFields) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"https://10.0.0.1:6443/prefix", "10.0.0.1:6443"},
      {"https://api.example.com:443", "api.example.com"},
      {"http://localhost:80", "localhost"},
      {"http://localhost:443", "localhost:443"},
      {"https://[fd00::1]:6443", "[fd00::1]:6443"},
  };
  for (const auto& [url, want] : rows) {
    ClientConfig config;
    ASSERT_OK(SetServerUrl(url, config));
    EXPECT_EQ(HostField(config), want) << url;
  }
}

TEST(ConfigTest, Tokens) {
  EXPECT_OK(CheckToken("eyJhbGciOi.J9-_~+/="));
  for (const char* bad : {"", "a b", "a\n", "a\r\nX: y", "a\x7f", "\xc3\xa9"}) {
    EXPECT_THAT(CheckToken(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
}

TEST(ConfigTest, PlainRequestsAreToldToAProxy) {
  struct Row {
    const char* server;
    std::optional<Proxy> proxy;
    const char* prefix;
    const char* fields;
  };
  const Proxy http{Proxy::Kind::kHttp, "proxy", 3128, "user", "pass"};
  const Proxy socks{Proxy::Kind::kSocks5, "proxy", 1080, "user", "pass"};
  const std::vector<Row> rows = {
      {"https://h:6443/p", std::nullopt, "/p", "Host: h:6443\r\n"},
      {"https://h:6443/p", http, "/p", "Host: h:6443\r\n"},
      {"http://h:8001/p", std::nullopt, "/p", "Host: h:8001\r\n"},
      {"http://h:8001/p", http, "http://h:8001/p",
       "Host: h:8001\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n"},
      {"http://h:8001/p", socks, "/p", "Host: h:8001\r\n"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.server);
    ClientConfig config;
    ASSERT_OK(SetServerUrl(row.server, config));
    config.proxy = row.proxy;
    EXPECT_EQ(RequestPrefix(config), row.prefix);
    EXPECT_EQ(FixedFields(config), row.fields);
  }
}

TEST(ConfigTest, WithoutCredentials) {
  ClientConfig config;
  config.host = "h";
  config.ca_pem = "ca";
  config.proxy.emplace();
  EXPECT_FALSE(HasStaticCredentials(config));
  config.cert_pem = config.key_pem = config.token = config.token_file = config.username =
      config.password = "secret";
  config.exec.emplace();
  config.acting.emplace();
  EXPECT_TRUE(HasStaticCredentials(config));
  const ClientConfig bare = WithoutCredentials(config);
  EXPECT_EQ(bare.host, "h");
  EXPECT_EQ(bare.ca_pem, "ca");
  EXPECT_TRUE(bare.proxy);
  EXPECT_EQ(bare.cert_pem + bare.key_pem, "");
  EXPECT_FALSE(HasStaticCredentials(bare));
  EXPECT_FALSE(bare.exec);
  EXPECT_FALSE(bare.acting);
}

class InClusterTest : public ::testing::Test {
 protected:
  InClusterTest() : folder_(::testing::TempDir()) {
    std::ofstream(folder_ + "/token") << "secret";
    std::ofstream(folder_ + "/ca.crt") << "PEM";
  }
  absl::StatusOr<ClientConfig> Config(const std::string& folder) const {
    return InClusterConfig(folder, [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? "" : found->second;
    });
  }

  const std::string folder_;
  std::map<std::string, std::string> variables_ = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                   {"KUBERNETES_SERVICE_PORT", "443"}};
};

TEST_F(InClusterTest, ReadsWhatAPodIsGiven) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, Config(folder_));
  EXPECT_TRUE(config.tls);
  EXPECT_EQ(config.host, "10.0.0.1");
  EXPECT_EQ(config.port, 443);
  EXPECT_EQ(config.ca_pem, "PEM");
  EXPECT_EQ(config.token_file, folder_ + "/token");
}

TEST_F(InClusterTest, IPv6) {
  variables_["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, Config(folder_));
  EXPECT_EQ(config.host, "fd00::1");
}

TEST_F(InClusterTest, TheNamespaceIsTheAccounts) {
  std::remove((folder_ + "/namespace").c_str());
  ASSERT_OK_AND_ASSIGN(const ClientConfig none, Config(folder_));
  EXPECT_EQ(none.ns, "");
  std::ofstream(folder_ + "/namespace") << "ops\n";
  ASSERT_OK_AND_ASSIGN(const ClientConfig of_account, Config(folder_));
  EXPECT_EQ(of_account.ns, "ops");
  variables_["POD_NAMESPACE"] = "said";
  ASSERT_OK_AND_ASSIGN(const ClientConfig said, Config(folder_));
  EXPECT_EQ(said.ns, "said");
}

TEST_F(InClusterTest, TheProxyIsTheEnvironments) {
  variables_["HTTPS_PROXY"] = "http://proxy:3128";
  ASSERT_OK_AND_ASSIGN(const ClientConfig through, Config(folder_));
  EXPECT_TRUE(through.proxy);
  variables_["NO_PROXY"] = ".svc,10.0.0.0/16";
  ASSERT_OK_AND_ASSIGN(const ClientConfig direct, Config(folder_));
  EXPECT_FALSE(direct.proxy);
}

TEST_F(InClusterTest, OutsideOfAPod) {
  variables_.erase("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(Config(folder_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not in a cluster")));
}

TEST_F(InClusterTest, WithoutFiles) {
  EXPECT_THAT(Config(folder_ + "/missing"), StatusIs(absl::StatusCode::kNotFound));
  std::remove((folder_ + "/token").c_str());
  EXPECT_THAT(Config(folder_), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::kube

#include "kube/client/config.h"

#include <cstdlib>
#include <fstream>
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

class InClusterTest : public ::testing::Test {
 protected:
  InClusterTest() : folder_(::testing::TempDir()) {
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    std::ofstream(folder_ + "/token") << "secret";
    std::ofstream(folder_ + "/ca.crt") << "PEM";
  }
  const std::string folder_;
};

TEST_F(InClusterTest, ReadsWhatAPodIsGiven) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, InClusterConfig(folder_));
  EXPECT_TRUE(config.tls);
  EXPECT_EQ(config.host, "10.0.0.1");
  EXPECT_EQ(config.port, 443);
  EXPECT_EQ(config.ca_pem, "PEM");
  EXPECT_EQ(config.token_file, folder_ + "/token");
}

TEST_F(InClusterTest, IPv6) {
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, InClusterConfig(folder_));
  EXPECT_EQ(config.host, "fd00::1");
}

TEST_F(InClusterTest, OutsideOfAPod) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(InClusterConfig(folder_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not in a cluster")));
}

TEST_F(InClusterTest, WithoutFiles) {
  EXPECT_THAT(InClusterConfig(folder_ + "/missing"), StatusIs(absl::StatusCode::kNotFound));
  std::remove((folder_ + "/token").c_str());
  EXPECT_THAT(InClusterConfig(folder_), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace steward::kube

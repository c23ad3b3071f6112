#include "apiserver/filters/authentication/authentication_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"
#include "base/tls/testing.h"

namespace steward::filters {
namespace {

using ::testing::HasSubstr;

RequestHeaderSettings Front(const std::string& ca_pem) {
  RequestHeaderSettings front;
  front.ca_pem = ca_pem;
  front.allowed_names = {"front-proxy-client"};
  front.username_headers = {"X-Remote-User"};
  return front;
}

class AuthenticationConfigTest : public ::testing::Test {
 protected:
  const TestCa a_{"a"};
  const TestCa b_{"b"};
  AuthenticationConfigStore store_;
};

TEST_F(AuthenticationConfigTest, StartsTrustingNobody) {
  EXPECT_EQ(store_.Get()->client_ca, nullptr);
  EXPECT_EQ(store_.Get()->request_header_ca, nullptr);
}

TEST_F(AuthenticationConfigTest, FlagsWinOverTheClusterPartByPart) {
  EXPECT_OK(store_.SetFromCluster({b_.cert_pem(), Front(b_.cert_pem())}));
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
  EXPECT_OK(store_.SetFromFlags({a_.cert_pem(), std::nullopt}));
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, a_.cert_pem());
  EXPECT_EQ(store_.Get()->settings.request_header->ca_pem, b_.cert_pem());
  EXPECT_OK(store_.SetFromFlags({}));
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
}

TEST_F(AuthenticationConfigTest, BadSettingsLeaveTheGoodOnes) {
  EXPECT_OK(store_.SetFromCluster({a_.cert_pem(), Front(b_.cert_pem())}));
  const auto good = store_.Get();
  RequestHeaderSettings no_prefix = Front(a_.cert_pem());
  no_prefix.extra_prefixes = {"  "};
  RequestHeaderSettings no_name = Front(a_.cert_pem());
  no_name.username_headers = {""};
  const std::pair<AuthenticationSettings, std::string> rows[] = {
      {{"garbage", Front(b_.cert_pem())}, "client CA"},
      {{"", Front("garbage")}, "front-proxy CA"},
      {{"", Front("")}, "front-proxy CA"},
      {{"", no_prefix}, "empty front-proxy header name"},
      {{"", no_name}, "empty front-proxy header name"},
  };
  for (const auto& [settings, why] : rows) {
    SCOPED_TRACE(why);
    EXPECT_THAT(store_.SetFromCluster(settings),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
    EXPECT_EQ(store_.Get(), good);
  }
  // A later change of the other source takes effect despite the bad one.
  EXPECT_OK(store_.SetFromFlags({b_.cert_pem(), std::nullopt}));
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
  EXPECT_EQ(store_.Get()->settings.request_header->ca_pem, b_.cert_pem());
}

TEST_F(AuthenticationConfigTest, AFrontProxyOpenToAllClientsIsRefused) {
  const TestCa below = a_.IssueCa("below");
  const struct {
    std::string name;
    std::string clients;
    std::string fronts;
    bool names;
    bool refused;
  } rows[] = {
      {"the same text", a_.cert_pem(), a_.cert_pem(), false, true},
      {"other text around the same CA", a_.cert_pem(), "# proxies\n" + a_.cert_pem(), false, true},
      {"one CA of several", b_.cert_pem() + a_.cert_pem(), a_.cert_pem(), false, true},
      {"clients below the proxies' CA", below.cert_pem(), a_.cert_pem(), false, true},
      {"proxies below the clients' CA", a_.cert_pem(), below.cert_pem(), false, false},
      {"the same name, another key", a_.cert_pem(), TestCa("a").cert_pem(), false, false},
      {"other CAs", a_.cert_pem(), b_.cert_pem(), false, false},
      {"names", a_.cert_pem(), a_.cert_pem(), true, false},
      {"no clients", "", a_.cert_pem(), false, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    RequestHeaderSettings front = Front(row.fronts);
    if (!row.names) front.allowed_names.clear();
    const absl::Status set = AuthenticationConfigStore().SetFromFlags({row.clients, front});
    if (row.refused) {
      EXPECT_THAT(set, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("any user")));
    } else {
      EXPECT_OK(set);
    }
  }
}

TEST_F(AuthenticationConfigTest, UnchangedSettingsKeepTheSnapshot) {
  EXPECT_OK(store_.SetFromCluster({a_.cert_pem(), std::nullopt}));
  const auto before = store_.Get();
  EXPECT_OK(store_.SetFromCluster({a_.cert_pem(), std::nullopt}));
  EXPECT_EQ(store_.Get(), before);
}

TEST_F(AuthenticationConfigTest, NamesAreTrimmed) {
  RequestHeaderSettings front = Front(a_.cert_pem());
  front.group_headers = {" X-Remote-Group\t"};
  EXPECT_OK(store_.SetFromFlags({"", front}));
  EXPECT_EQ(store_.Get()->settings.request_header->group_headers[0], "X-Remote-Group");
}

}  // namespace
}  // namespace steward::filters

#include "apiserver/filters/authentication_config.h"

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
  // A later change of the other source is not held up by the bad one.
  EXPECT_OK(store_.SetFromFlags({b_.cert_pem(), std::nullopt}));
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
  EXPECT_EQ(store_.Get()->settings.request_header->ca_pem, b_.cert_pem());
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

#include "cmd/steward/controllers_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/server/options.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/tls/files.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using testing::HasSubstr;

TEST(ControllersLinkTest, EachFamilyHasAChannelOfItsOwnWhereItHasAnAddress) {
  const TestDirectory directory;
  const TestCa ca("ca");
  const TestKeyPair pair = ca.Issue({});
  const std::string& path = directory.path();
  ASSERT_OK(ReplaceFile(path + "/ca.crt", ca.cert_pem(), 0644));
  ASSERT_OK(ReplaceFile(path + "/tls.crt", pair.cert_pem, 0644));
  ASSERT_OK(ReplaceFile(path + "/tls.key", pair.key_pem, 0600));
  server::Options options;
  options.controllers = {"127.0.0.1:1", path + "/ca.crt", path + "/tls.crt", path + "/tls.key"};
  options.plan_controllers = options.controllers;
  options.copied_csv_controllers = options.controllers;
  ASSERT_OK_AND_ASSIGN(const ControllersLinks links, LinkToControllers(options));
  EXPECT_NE(links.cleanup.channel, nullptr);
  EXPECT_NE(links.plans.channel, nullptr);
  EXPECT_NE(links.copies.channel, nullptr);
  EXPECT_NE(links.plans.channel, links.cleanup.channel);
  EXPECT_NE(links.copies.channel, links.cleanup.channel);
  EXPECT_NE(links.pending, nullptr);
  EXPECT_NE(links.previews, nullptr);
}

TEST(ControllersLinkTest, WithoutAnAddressTheReasonNamesItsFlag) {
  ASSERT_OK_AND_ASSIGN(const ControllersLinks links, LinkToControllers(server::Options()));
  EXPECT_EQ(links.cleanup.channel, nullptr);
  EXPECT_THAT(links.cleanup.absence, HasSubstr("(--controllers-address)"));
  EXPECT_EQ(links.plans.channel, nullptr);
  EXPECT_THAT(links.plans.absence, HasSubstr("(--plan-controllers-address)"));
  EXPECT_EQ(links.copies.channel, nullptr);
  EXPECT_THAT(links.copies.absence, HasSubstr("(--copied-csv-controllers-address)"));
  EXPECT_NE(links.pending, nullptr);
  EXPECT_NE(links.previews, nullptr);
}

TEST(ControllersLinkTest, WithoutLinksThereIsAReason) {
  const ControllersLinks links = NoLinksToControllers("gRPC is off");
  for (const FamilyLink* link : {&links.cleanup, &links.plans, &links.copies}) {
    EXPECT_EQ(link->channel, nullptr);
    EXPECT_EQ(link->absence, "gRPC is off");
  }
  EXPECT_NE(links.pending, nullptr);
  EXPECT_NE(links.previews, nullptr);
}

}  // namespace
}  // namespace steward

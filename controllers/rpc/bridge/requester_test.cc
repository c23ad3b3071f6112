#include "controllers/rpc/bridge/requester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kFrontends = {"steward-apiserver"};

TEST(RequesterTest, ACertificateSpeaksForItsHolder) {
  const auto requester = RequesterOf({"alice", {"dev", "ops"}}, kFrontends, nullptr);
  ASSERT_OK(requester);
  EXPECT_EQ(requester->user.name, "alice");
  EXPECT_THAT(requester->user.groups, ElementsAre("dev", "ops", "system:authenticated"));
  EXPECT_EQ(requester->ToString(), R"("alice")");
}

TEST(RequesterTest, NobodyIsNamedByAnEmptyName) {
  const auto requester = RequesterOf({"", {"system:masters"}}, kFrontends, nullptr);
  EXPECT_EQ(kube::FromStatus(requester.status()).code, 401);
}

TEST(RequesterTest, AFrontendSpeaksForOthersAndLendsThemNothing) {
  common::v1::Requester bob;
  bob.set_user("bob");
  bob.set_uid("u-1");
  bob.add_groups("dev");
  (*bob.mutable_extra())["scopes"].add_values("read");
  (*bob.mutable_extra())["b"].add_values("3");
  (*bob.mutable_extra())["a"].add_values("1");
  (*bob.mutable_extra())["a"].add_values("2");
  const auto requester = RequesterOf({"steward-apiserver", {"system:masters"}}, kFrontends, &bob);
  ASSERT_OK(requester);
  EXPECT_EQ(requester->user.name, "bob");
  EXPECT_EQ(requester->user.uid, "u-1");
  EXPECT_THAT(requester->user.groups, ElementsAre("dev"));
  EXPECT_EQ(requester->user.extra,
            (kube::UserExtra{{"a", {"1", "2"}}, {"b", {"3"}}, {"scopes", {"read"}}}));
  EXPECT_EQ(requester->ToString(), R"("bob" through "steward-apiserver")");
}

TEST(RequesterTest, OthersSpeakForNobodyElse) {
  common::v1::Requester bob;
  bob.set_user("bob");
  EXPECT_EQ(kube::FromStatus(RequesterOf({"alice", {}}, kFrontends, &bob).status()).code, 403);
  EXPECT_EQ(kube::FromStatus(RequesterOf({"steward-apiserver", {}}, {}, &bob).status()).code, 403);
  const common::v1::Requester nobody;
  EXPECT_EQ(
      kube::FromStatus(RequesterOf({"steward-apiserver", {}}, kFrontends, &nobody).status()).code,
      400);
}

}  // namespace
}  // namespace steward::rpc

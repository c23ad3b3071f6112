#include "controllers/rpc/bridge/request_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

TEST(RequestChecksTest, Namespaces) {
  EXPECT_OK(CheckNamespace("ops"));
  EXPECT_OK(CheckScope("ops"));
  EXPECT_OK(CheckScope(""));
  EXPECT_EQ(kube::FromStatus(CheckNamespace("")).code, 400);
  EXPECT_EQ(kube::FromStatus(CheckScope("No Name")).code, 400);
}

TEST(RequestChecksTest, Names) {
  EXPECT_OK(CheckName("name", "etcd.v0.9.4", "a ClusterServiceVersion"));
  const kube::Status error = kube::FromStatus(CheckName("install_plan", "", "an InstallPlan"));
  EXPECT_EQ(error.code, 400);
  EXPECT_EQ(error.message, "install_plan: not the name of an InstallPlan");
}

TEST(RequestChecksTest, PageSizes) {
  EXPECT_THAT(PageSize(0), IsOkAndHolds(500u));
  EXPECT_THAT(PageSize(7), IsOkAndHolds(7u));
  EXPECT_THAT(PageSize(1 << 30), IsOkAndHolds(1000u));
  EXPECT_EQ(kube::FromStatus(PageSize(-1).status()).code, 400);
}

}  // namespace
}  // namespace steward::rpc

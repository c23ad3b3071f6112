#include "apiserver/filters/fairness/watch_quota.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace steward::filters {
namespace {

TEST(WatchQuotaTest, PerUserAndInAll) {
  WatchQuota quota({.all = 3, .per_user = 2});
  std::vector<WatchQuota::Slot> slots;
  for (int i = 0; i < 2; ++i) slots.push_back(quota.Take("alice").value());
  EXPECT_FALSE(quota.Take("alice").has_value());
  std::optional<WatchQuota::Slot> bob = quota.Take("bob");
  EXPECT_TRUE(bob.has_value());
  EXPECT_FALSE(quota.Take("bob").has_value()) << "all together have three";
  slots.clear();
  EXPECT_TRUE(quota.Take("alice").has_value());
  EXPECT_TRUE(quota.Take("bob").has_value());
}

TEST(WatchQuotaTest, ZeroIsNoLimit) {
  WatchQuota quota({.all = 0, .per_user = 0});
  std::vector<WatchQuota::Slot> slots;
  for (int i = 0; i < 20'000; ++i) slots.push_back(quota.Take("alice").value());
}

}  // namespace
}  // namespace steward::filters

#include "base/fairness/user_quota.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace steward {
namespace {

TEST(UserQuotaTest, PerUserAndInAll) {
  UserQuota quota({.all = 3, .per_user = 2});
  std::vector<UserQuota::Slot> slots;
  for (int i = 0; i < 2; ++i) slots.push_back(quota.Take("alice").value());
  EXPECT_FALSE(quota.Take("alice").has_value());
  std::optional<UserQuota::Slot> bob = quota.Take("bob");
  EXPECT_TRUE(bob.has_value());
  EXPECT_FALSE(quota.Take("bob").has_value()) << "all together have three";
  slots.clear();
  EXPECT_TRUE(quota.Take("alice").has_value());
  EXPECT_TRUE(quota.Take("bob").has_value());
}

TEST(UserQuotaTest, AFewUsersDoNotHaveAll) {
  UserQuota quota({.all = 1600, .per_user = 600});
  std::vector<UserQuota::Slot> slots;
  const auto take = [&](const std::string& user, int most) {
    int taken = 0;
    for (; taken < most; ++taken) {
      std::optional<UserQuota::Slot> slot = quota.Take(user);
      if (!slot) break;
      slots.push_back(*std::move(slot));
    }
    return taken;
  };
  EXPECT_EQ(take("a", 1000), 600);
  EXPECT_EQ(take("b", 1000), 600);
  EXPECT_EQ(take("c", 1000), 200);
  EXPECT_EQ(take("d", 1000), 3) << "of the last eighth a 64th each";
  for (int user = 0; user < 65; ++user) {
    EXPECT_EQ(take("few-" + std::to_string(user), 3), 3) << user;
  }
  EXPECT_EQ(take("late", 1000), 2) << "all together have 1600";
}

TEST(UserQuotaTest, ZeroIsNoLimit) {
  UserQuota quota({.all = 0, .per_user = 0});
  std::vector<UserQuota::Slot> slots;
  for (int i = 0; i < 20'000; ++i) slots.push_back(quota.Take("alice").value());
}

}  // namespace
}  // namespace steward

#include "apiserver/http/memory_budget.h"

#include <gtest/gtest.h>

namespace steward::http {
namespace {

constexpr size_t kLimit = 1 << 20;
constexpr size_t kReserve = kLimit / 8;
constexpr size_t kLittle = MemoryBudget::kLittle;

TEST(MemoryBudgetTest, ALeaseGivesBack) {
  MemoryBudget budget(kLimit);
  MemoryBudget::Share share(budget, kLimit, false);
  {
    MemoryBudget::Lease lease(share);
    EXPECT_TRUE(lease.Grow(100));
    EXPECT_TRUE(lease.Grow(50));
    lease.Shrink(30);
    EXPECT_EQ(budget.used(), 120u);
    EXPECT_EQ(share.held(), 120u);
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(share.held(), 0u);
}

TEST(MemoryBudgetTest, AConnectionHasNoMoreThanItsShare) {
  MemoryBudget budget(kLimit);
  MemoryBudget::Share share(budget, 1000, false);
  MemoryBudget::Lease one(share);
  MemoryBudget::Lease two(share);
  EXPECT_TRUE(one.Grow(600));
  EXPECT_FALSE(two.Grow(401));
  EXPECT_TRUE(two.Grow(400));
  EXPECT_FALSE(one.Grow(static_cast<size_t>(-1)));
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(MemoryBudgetTest, WhoHoldsMuchLeavesTheReserve) {
  MemoryBudget budget(kLimit);
  MemoryBudget::Share greedy(budget, kLimit, false);
  MemoryBudget::Share modest(budget, kLimit, false);
  MemoryBudget::Share proxy(budget, kLimit, true);
  MemoryBudget::Lease taken(greedy);
  EXPECT_TRUE(taken.Grow(kLimit - kReserve));
  EXPECT_FALSE(taken.Grow(1));
  MemoryBudget::Lease probe(modest);
  EXPECT_TRUE(probe.Grow(kLittle));
  EXPECT_FALSE(probe.Grow(1));
  MemoryBudget::Lease users(proxy);
  EXPECT_TRUE(users.Grow(kReserve - kLittle));
  EXPECT_FALSE(users.Grow(1));
  EXPECT_EQ(budget.used(), kLimit);
}

}  // namespace
}  // namespace steward::http

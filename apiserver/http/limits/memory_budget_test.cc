#include "apiserver/http/limits/memory_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace steward::http {
namespace {

constexpr size_t kLimit = 1 << 20;
constexpr size_t kConnections = 16;

Limits SmallLimits() {
  Limits limits;
  limits.max_request_memory = kLimit;
  limits.max_connection_memory = kLimit / 8;
  limits.max_connections = kConnections;
  return limits;
}

// A connection that holds some memory.
struct Holder {
  Holder(MemoryBudget& budget, std::string address, bool trusted = false)
      : share(budget, address, kLimit, trusted), lease(share) {}
  MemoryBudget::Share share;
  MemoryBudget::Lease lease;
};

// Holders that take all memory outside of the reserve, with as few addresses as possible.
std::vector<std::unique_ptr<Holder>> Greedy(MemoryBudget& budget) {
  std::vector<std::unique_ptr<Holder>> greedy;
  for (int i = 0; i < 4; ++i) {
    greedy.push_back(std::make_unique<Holder>(budget, "192.0.2." + std::to_string(i) + ":1"));
    EXPECT_TRUE(greedy.back()->lease.Grow(kLimit / 8));
  }
  return greedy;
}

TEST(MemoryBudgetTest, ALeaseGivesBack) {
  MemoryBudget budget(SmallLimits());
  MemoryBudget::Share share(budget, "192.0.2.1:1", kLimit, false);
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
  MemoryBudget budget(SmallLimits());
  MemoryBudget::Share share(budget, "192.0.2.1:1", 1000, false);
  MemoryBudget::Lease one(share);
  MemoryBudget::Lease two(share);
  EXPECT_TRUE(one.Grow(600));
  EXPECT_FALSE(two.Grow(401));
  EXPECT_TRUE(two.Grow(400));
  EXPECT_FALSE(one.Grow(static_cast<size_t>(-1)));
  EXPECT_EQ(budget.used(), 1000u);
}

TEST(MemoryBudgetTest, AnAddressHasNoMoreThanAnEighth) {
  for (const bool v6 : {false, true}) {
    MemoryBudget budget(SmallLimits());
    Holder one(budget, v6 ? "[2001:db8::1]:1" : "192.0.2.1:1");
    Holder two(budget, v6 ? "[2001:db8::1]:2" : "192.0.2.1:2");
    Holder other(budget, v6 ? "[2001:db8::2]:1" : "192.0.2.2:1");
    Holder proxy(budget, v6 ? "[2001:db8::1]:3" : "192.0.2.1:3", /*trusted=*/true);
    EXPECT_TRUE(one.lease.Grow(kLimit / 8));
    EXPECT_FALSE(one.lease.Grow(1));
    EXPECT_FALSE(two.lease.Grow(budget.little() + 1));
    EXPECT_TRUE(two.lease.Grow(budget.little())) << "a probe";
    EXPECT_FALSE(two.lease.Grow(1));
    EXPECT_TRUE(other.lease.Grow(kLimit / 8));
    one.lease.Shrink(budget.little() + 1);
    EXPECT_TRUE(two.lease.Grow(1));
    EXPECT_TRUE(proxy.lease.Grow(kLimit / 2));
  }
}

TEST(MemoryBudgetTest, AnAddressMayFillOneConnection) {
  Limits limits = SmallLimits();
  limits.max_connection_memory = kLimit / 4;
  MemoryBudget budget(limits);
  Holder one(budget, "192.0.2.1:1");
  EXPECT_TRUE(one.lease.Grow(kLimit / 4));
  EXPECT_FALSE(one.lease.Grow(1));
}

TEST(MemoryBudgetTest, WhoHoldsMuchLeavesTheReserve) {
  MemoryBudget budget(SmallLimits());
  const auto greedy = Greedy(budget);
  Holder probe(budget, "192.0.2.9:1");
  EXPECT_FALSE(probe.lease.Grow(budget.little() + 1));
  EXPECT_TRUE(probe.lease.Grow(budget.little()));
  EXPECT_FALSE(probe.lease.Grow(1));
}

TEST(MemoryBudgetTest, ManySmallOnesDoNotTakeTheReserve) {
  MemoryBudget budget(SmallLimits());
  const auto greedy = Greedy(budget);
  std::vector<std::unique_ptr<Holder>> small;
  for (size_t i = 0; i < kConnections; ++i) {
    small.push_back(std::make_unique<Holder>(budget, "198.51.100." + std::to_string(i) + ":1"));
    EXPECT_TRUE(small.back()->lease.Grow(budget.little())) << i;
  }
  Holder one_more(budget, "203.0.113.1:1");
  EXPECT_FALSE(one_more.lease.Grow(budget.little()));
  Holder proxy(budget, "203.0.113.2:1", /*trusted=*/true);
  EXPECT_TRUE(proxy.lease.Grow(kLimit / 16));
  EXPECT_FALSE(proxy.lease.Grow(1));
  EXPECT_EQ(budget.used(), kLimit);
}

// The memory of an HTTP/2 probe: a stream's 4 KiB, and for each of 7 fields 160 bytes and its text.
TEST(MemoryBudgetTest, ByDefaultAProbeIsLittle) {
  MemoryBudget budget{Limits()};
  EXPECT_GE(budget.little(), 5700u);
  EXPECT_LE(budget.little() * Limits().max_connections, budget.limit() / 2);
}

TEST(MemoryBudgetTest, WatchesHaveAFourth) {
  Limits limits;
  limits.max_request_memory = 1000;
  MemoryBudget budget(limits);
  MemoryBudget::Share share(budget, "192.0.2.1:55", 1000, /*trusted=*/true);
  MemoryBudget::Lease watch(share, MemoryBudget::Use::kWatch);
  {
    MemoryBudget::Lease other(share, MemoryBudget::Use::kWatch);
    EXPECT_TRUE(watch.Grow(150));
    EXPECT_TRUE(other.Grow(100));
    EXPECT_FALSE(watch.Grow(1));
  }
  EXPECT_TRUE(watch.Grow(100));
  EXPECT_FALSE(watch.Grow(1));
  MemoryBudget::Lease request(share);
  EXPECT_TRUE(request.Grow(750));
  // A lease that is refused for another reason leaves nothing held.
  watch.Shrink(100);
  EXPECT_TRUE(request.Grow(100));
  EXPECT_FALSE(watch.Grow(100));
  request.Shrink(100);
  EXPECT_TRUE(watch.Grow(100));
}

}  // namespace
}  // namespace steward::http

#include "base/cache/expiring_cache.h"

#include <gtest/gtest.h>

namespace steward {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1000);

TEST(ExpiringCacheTest, EntriesEnd) {
  ExpiringCache<int> cache(10);
  cache.Put("a", 1, kNow, absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(9)), 1);
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(10)), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(ExpiringCacheTest, PutReplaces) {
  ExpiringCache<int> cache(10);
  cache.Put("a", 1, kNow, absl::Seconds(1));
  cache.Put("a", 2, kNow, absl::Seconds(20));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(10)), 2);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(ExpiringCacheTest, LeastRecentlyUsedMakesRoom) {
  ExpiringCache<int> cache(2);
  const absl::Duration ttl = absl::Seconds(10);
  cache.Put("a", 1, kNow, ttl);
  cache.Put("b", 2, kNow, ttl);
  EXPECT_EQ(cache.Get("a", kNow), 1);
  cache.Put("c", 3, kNow, ttl);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.Get("a", kNow), 1);
  EXPECT_EQ(cache.Get("b", kNow), std::nullopt);
  EXPECT_EQ(cache.Get("c", kNow), 3);
}

TEST(ExpiringCacheTest, NoCapacityKeepsNothing) {
  ExpiringCache<int> cache(0);
  cache.Put("a", 1, kNow, absl::Seconds(10));
  EXPECT_EQ(cache.size(), 0u);
}

TEST(ExpiringCacheTest, AClockSetBackEndsAll) {
  ExpiringCache<int> cache(10);
  const absl::Time before = kNow - absl::Hours(1);
  cache.Put("a", 1, kNow, absl::Seconds(10));
  cache.Put("b", 2, kNow, absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", before), std::nullopt);
  EXPECT_EQ(cache.Get("b", kNow), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);

  // After less than an entry's age, too; and seen by Put.
  cache.Put("a", 1, kNow, absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(9)), 1);
  cache.Put("b", 2, kNow + absl::Seconds(5), absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(5)), std::nullopt);
  EXPECT_EQ(cache.Get("b", kNow + absl::Seconds(14)), 2);
}

}  // namespace
}  // namespace steward

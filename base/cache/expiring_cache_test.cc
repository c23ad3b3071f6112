#include "base/cache/expiring_cache.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

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

TEST(ExpiringCacheTest, AnOwnerHasNoMoreThanItsShare) {
  ExpiringCache<int> cache(6, 2);
  const absl::Duration ttl = absl::Seconds(10);
  cache.Put("a", 1, kNow, ttl, "alice");
  for (int i = 0; i < 100; ++i) cache.Put("b" + std::to_string(i), i, kNow, ttl, "bob");
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.Get("a", kNow), 1);
  // Bob's least recently used entry makes room.
  EXPECT_EQ(cache.Get("b98", kNow), 98);
  cache.Put("b", 7, kNow, ttl, "bob");
  EXPECT_EQ(cache.Get("b98", kNow), 98);
  EXPECT_EQ(cache.Get("b99", kNow), std::nullopt);
  // An entry that expired, was replaced or got another owner no longer counts.
  EXPECT_EQ(cache.Get("b", kNow + ttl), std::nullopt);
  cache.Put("b98", 8, kNow + ttl, ttl, "alice");
  cache.Put("c", 1, kNow + ttl, ttl, "bob");
  cache.Put("d", 2, kNow + ttl, ttl, "bob");
  EXPECT_EQ(cache.Get("c", kNow + ttl), 1);
  EXPECT_EQ(cache.Get("d", kNow + ttl), 2);
  EXPECT_EQ(cache.Get("b98", kNow + ttl), 8);
  EXPECT_EQ(cache.Get("c", kNow), std::nullopt) << "the clock was set back";
  cache.Put("e", 3, kNow, ttl, "bob");
  EXPECT_EQ(cache.Get("e", kNow), 3);
  EXPECT_EQ(cache.size(), 1u);
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

  // The clock may go back by less than an entry's age, and Put may be the one to notice.
  cache.Put("a", 1, kNow, absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(9)), 1);
  cache.Put("b", 2, kNow + absl::Seconds(5), absl::Seconds(10));
  EXPECT_EQ(cache.Get("a", kNow + absl::Seconds(5)), std::nullopt);
  EXPECT_EQ(cache.Get("b", kNow + absl::Seconds(14)), 2);
}

}  // namespace
}  // namespace steward

#include "apiserver/filters/fairness/source_rate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/clock/fake_clock.h"

namespace steward::filters {
namespace {

int Taken(SourceRate& rate, const std::string& source, int tries) {
  int taken = 0;
  for (int i = 0; i < tries; ++i) taken += rate.Take(source) ? 1 : 0;
  return taken;
}

TEST(SourceRateTest, ABurstAndThenARate) {
  FakeClock clock;
  SourceRate rate(clock, {.per_second = 2, .burst = 10});
  EXPECT_EQ(Taken(rate, "a", 50), 10);
  EXPECT_EQ(Taken(rate, "b", 50), 10) << "each has its own";
  clock.Advance(absl::Seconds(3));
  EXPECT_EQ(Taken(rate, "a", 50), 6);
  clock.Advance(absl::Seconds(4));
  EXPECT_EQ(Taken(rate, "a", 50), 8);
  clock.Advance(absl::Hours(1));
  EXPECT_EQ(Taken(rate, "a", 50), 10) << "and never more than a burst";
}

// A thread may be overtaken by another one between the time that it reads the clock and its turn.
TEST(SourceRateTest, ThreadsShareOneBucket) {
  constexpr int kThreads = 4, kTries = 50'000;
  SourceRate rate(Clock::Real(), {.per_second = 1, .burst = 10});
  const absl::Time began = absl::Now();
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { taken += Taken(rate, "a", kTries); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(taken, 11 + absl::ToDoubleSeconds(absl::Now() - began));
}

TEST(SourceRateTest, WhatIsRememberedIsBounded) {
  FakeClock clock;
  SourceRate rate(clock, {.per_second = 1, .burst = 1, .sources = 2});
  for (const char* source : {"a", "b", "c"}) EXPECT_TRUE(rate.Take(source));
  EXPECT_FALSE(rate.Take("c"));
  EXPECT_TRUE(rate.Take("a")) << "forgotten";
}

}  // namespace
}  // namespace steward::filters

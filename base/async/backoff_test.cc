#include "base/async/backoff.h"

#include <gtest/gtest.h>

#include "base/clock/fake_clock.h"

namespace steward {
namespace {

constexpr BackoffOptions kOptions = {
    .initial = absl::Seconds(1), .max = absl::Seconds(5), .factor = 2.0, .jitter = 0.5};

TEST(BackoffTest, GrowsToTheMaximumAndResets) {
  FixedRandom none(0);
  Backoff backoff(kOptions, none);
  for (int seconds : {1, 2, 4, 5, 5}) EXPECT_EQ(backoff.Next(), absl::Seconds(seconds));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), absl::Seconds(1));
}

TEST(BackoffTest, JitterOnlyLengthens) {
  FixedRandom half(0.5);
  Backoff backoff(kOptions, half);
  EXPECT_EQ(backoff.Next(), absl::Seconds(1.25));
  EXPECT_EQ(backoff.Next(), absl::Seconds(2.5));
}

}  // namespace
}  // namespace steward

#include "controllers/runtime/queue/rate_limiter.h"

#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward::controllers {
namespace {

const Key kA = {"ns", "a"};
const Key kB = {"ns", "b"};

RateLimits Limits() {
  RateLimits limits;
  limits.initial = absl::Milliseconds(10);
  limits.max = absl::Seconds(1);
  limits.per_second = 2;
  limits.burst = 1000;
  return limits;
}

TEST(RateLimiterTest, DoublesForEachKeyUpToTheMaximum) {
  FakeClock clock;
  RateLimiter limiter(Limits(), clock);
  for (const int expected : {10, 20, 40, 80, 160, 320, 640, 1000, 1000}) {
    EXPECT_EQ(limiter.Next(kA), absl::Milliseconds(expected));
  }
  EXPECT_EQ(limiter.Next(kB), absl::Milliseconds(10));
  EXPECT_EQ(limiter.failures(kA), 9);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(limiter.Next(kA), absl::Seconds(1));
}

TEST(RateLimiterTest, ForgettingBeginsAnew) {
  FakeClock clock;
  RateLimiter limiter(Limits(), clock);
  limiter.Next(kA);
  limiter.Next(kA);
  limiter.Forget(kA);
  EXPECT_EQ(limiter.failures(kA), 0);
  EXPECT_EQ(limiter.Next(kA), absl::Milliseconds(10));
}

TEST(RateLimiterTest, AllKeysShareABucket) {
  FakeClock clock;
  RateLimits limits = Limits();
  limits.burst = 2;
  RateLimiter limiter(limits, clock);
  EXPECT_EQ(limiter.Next({"", "1"}), absl::Milliseconds(10));
  EXPECT_EQ(limiter.Next({"", "2"}), absl::Milliseconds(10));
  // The bucket is empty: the next retries wait for tokens, of which two come each second.
  EXPECT_EQ(limiter.Next({"", "3"}), absl::Milliseconds(500));
  EXPECT_EQ(limiter.Next({"", "4"}), absl::Seconds(1));
  clock.Advance(absl::Seconds(2));
  EXPECT_EQ(limiter.Next({"", "5"}), absl::Milliseconds(10));
  // The bucket never holds more than the burst.
  clock.Advance(absl::Hours(1));
  EXPECT_EQ(limiter.Next({"", "6"}), absl::Milliseconds(10));
  EXPECT_EQ(limiter.Next({"", "7"}), absl::Milliseconds(10));
  EXPECT_EQ(limiter.Next({"", "8"}), absl::Milliseconds(500));
}

TEST(RateLimiterTest, TheWallClockDoesNotMatter) {
  FakeClock clock;
  RateLimits limits = Limits();
  limits.burst = 1;
  RateLimiter limiter(limits, clock);
  limiter.Next(kA);
  clock.SetBy(absl::Hours(5));
  EXPECT_EQ(limiter.Next(kB), absl::Milliseconds(500));
  clock.SetBy(-absl::Hours(10));
  clock.Advance(absl::Seconds(1));
  EXPECT_EQ(limiter.Next({"", "c"}), absl::Milliseconds(10));
}

}  // namespace
}  // namespace steward::controllers

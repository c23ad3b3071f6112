#include "apiserver/http/limits/drain_deadline.h"

#include <gtest/gtest.h>

#include <optional>

#include "absl/time/time.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/options.h"

namespace steward::http {
namespace {

constexpr size_t kRate = 1000;
constexpr Pace kSlow{absl::Seconds(60), kRate};
constexpr Pace kQuick{absl::Seconds(10), kRate};

class DrainDeadlineTest : public ::testing::Test {
 protected:
  // Lets seconds pass, in each of which the client takes `bytes_each`.
  void Pass(int seconds, size_t bytes_each) {
    for (int i = 0; i < seconds; ++i) {
      deadline_.Took(bytes_each);
      set_.Tick();
    }
  }

  DeadlineSet set_{absl::Seconds(1)};
  int given_up_ = 0;
  DrainDeadline deadline_{set_, [this] { ++given_up_; }};
};

TEST_F(DrainDeadlineTest, WhoTakesNothingIsGivenUp) {
  deadline_.Begin(kQuick);
  Pass(10, 0);
  EXPECT_EQ(given_up_, 0);
  Pass(1, 0);
  EXPECT_EQ(given_up_, 1);
  Pass(100, 0);
  EXPECT_EQ(given_up_, 1) << "once";
}

TEST_F(DrainDeadlineTest, ATrickleIsNoProgress) {
  deadline_.Begin(kSlow);
  Pass(61, kRate / 2);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, WhoKeepsPaceGoesOn) {
  deadline_.Begin(kQuick);
  Pass(1000, kRate);
  EXPECT_EQ(given_up_, 0);
  // The average of a window counts, not each second.
  for (int i = 0; i < 10; ++i) {
    deadline_.Took(10 * kRate);
    Pass(8, 0);
  }
  EXPECT_EQ(given_up_, 0);
}

TEST_F(DrainDeadlineTest, WhatWasTakenBeforeTheWindowDoesNotCount) {
  deadline_.Took(1 << 30);
  deadline_.Begin(kQuick);
  Pass(11, 0);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, AStallCountsFromTheLastByte) {
  deadline_.Begin(kQuick);
  Pass(6, 100 * kRate);
  Pass(9, 0);
  EXPECT_EQ(given_up_, 0);
  Pass(2, 0);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, NothingIsAskedWhileNothingWaits) {
  deadline_.Begin(kQuick);
  Pass(5, 0);
  deadline_.End();
  Pass(100, 0);
  EXPECT_EQ(given_up_, 0);
}

TEST_F(DrainDeadlineTest, AnotherPaceBeginsAnew) {
  deadline_.Begin(kSlow);
  Pass(40, 0);
  deadline_.Begin(kQuick);
  Pass(15, 0);
  EXPECT_EQ(given_up_, 0) << "one is under way";
  deadline_.Change(kQuick);
  Pass(10, 0);
  EXPECT_EQ(given_up_, 0);
  Pass(1, 0);
  EXPECT_EQ(given_up_, 1);
  deadline_.Change(kQuick);
  Pass(100, 0);
  EXPECT_EQ(given_up_, 1) << "nothing waits";
}

TEST_F(DrainDeadlineTest, AFasterPaceWantsMore) {
  deadline_.Begin({absl::Seconds(10), 16 * kRate});
  Pass(11, 2 * kRate);
  EXPECT_EQ(given_up_, 1);
}

TEST(DrainDeadline, MayBeDestroyedByWhatItCalls) {
  DeadlineSet set{absl::Seconds(1)};
  std::optional<DrainDeadline> deadline;
  deadline.emplace(set, [&deadline] { deadline.reset(); });
  deadline->Begin({absl::Seconds(1), kRate});
  set.Tick();
  set.Tick();
  EXPECT_FALSE(deadline.has_value());
}

}  // namespace
}  // namespace steward::http

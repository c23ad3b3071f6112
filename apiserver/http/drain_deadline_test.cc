#include "apiserver/http/drain_deadline.h"

#include <gtest/gtest.h>

#include <optional>

#include "absl/time/time.h"
#include "apiserver/http/deadline.h"

namespace steward::http {
namespace {

constexpr size_t kRate = 1000;

class DrainDeadlineTest : public ::testing::Test {
 protected:
  // Lets seconds pass, in each of which the client takes some bytes.
  void Pass(int seconds, size_t bytes_each) {
    for (int i = 0; i < seconds; ++i) {
      deadline_.Took(bytes_each);
      set_.Tick();
    }
  }

  DeadlineSet set_{absl::Seconds(1)};
  int given_up_ = 0;
  DrainDeadline deadline_{set_, kRate, [this] { ++given_up_; }};
};

TEST_F(DrainDeadlineTest, WhoTakesNothingIsGivenUp) {
  deadline_.Begin(absl::Seconds(10));
  Pass(10, 0);
  EXPECT_EQ(given_up_, 0);
  Pass(1, 0);
  EXPECT_EQ(given_up_, 1);
  Pass(100, 0);
  EXPECT_EQ(given_up_, 1) << "once";
}

TEST_F(DrainDeadlineTest, ATrickleIsNoProgress) {
  deadline_.Begin(absl::Seconds(60));
  Pass(61, kRate / 2);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, WhoKeepsPaceGoesOn) {
  deadline_.Begin(absl::Seconds(10));
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
  deadline_.Begin(absl::Seconds(10));
  Pass(11, 0);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, AStallCountsFromTheLastByte) {
  deadline_.Begin(absl::Seconds(10));
  Pass(6, 100 * kRate);
  Pass(9, 0);
  EXPECT_EQ(given_up_, 0);
  Pass(2, 0);
  EXPECT_EQ(given_up_, 1);
}

TEST_F(DrainDeadlineTest, NothingIsAskedWhileNothingWaits) {
  deadline_.Begin(absl::Seconds(10));
  Pass(5, 0);
  deadline_.End();
  Pass(100, 0);
  EXPECT_EQ(given_up_, 0);
}

TEST_F(DrainDeadlineTest, OnlyAShorterWindowReplacesOne) {
  deadline_.Begin(absl::Seconds(60));
  Pass(40, 0);
  deadline_.Begin(absl::Seconds(60));
  deadline_.Begin(absl::Seconds(10));
  Pass(5, 0);
  deadline_.Begin(absl::Seconds(10));
  Pass(6, 0);
  EXPECT_EQ(given_up_, 1);
}

TEST(DrainDeadline, MayBeDestroyedByWhatItCalls) {
  DeadlineSet set{absl::Seconds(1)};
  std::optional<DrainDeadline> deadline;
  deadline.emplace(set, kRate, [&deadline] { deadline.reset(); });
  deadline->Begin(absl::Seconds(1));
  set.Tick();
  set.Tick();
  EXPECT_FALSE(deadline.has_value());
}

}  // namespace
}  // namespace steward::http

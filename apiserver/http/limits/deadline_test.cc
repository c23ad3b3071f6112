#include "apiserver/http/limits/deadline.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace steward::http {
namespace {

void Tick(DeadlineSet& set, int times) {
  for (int i = 0; i < times; ++i) set.Tick();
}

TEST(DeadlineTest, NeverEarlyAndOnce) {
  DeadlineSet set(absl::Seconds(1));
  int fired = 0;
  Deadline deadline(set, [&] { ++fired; });
  deadline.Set(absl::Milliseconds(2500));
  Tick(set, 3);
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(deadline.armed());
  Tick(set, 1);
  EXPECT_EQ(fired, 1);
  EXPECT_FALSE(deadline.armed());
  Tick(set, 10);
  EXPECT_EQ(fired, 1);
}

TEST(DeadlineTest, SetAgainMovesItAndClearStopsIt) {
  DeadlineSet set(absl::Seconds(1));
  int fired = 0;
  Deadline deadline(set, [&] { ++fired; });
  deadline.Set(absl::Seconds(2));
  Tick(set, 2);
  deadline.Set(absl::Seconds(2));
  Tick(set, 2);
  EXPECT_EQ(fired, 0);
  deadline.Clear();
  deadline.Clear();
  Tick(set, 5);
  EXPECT_EQ(fired, 0);
}

TEST(DeadlineTest, CallbacksMayDoAnything) {
  DeadlineSet set(absl::Seconds(1));
  int fired = 0;
  std::unique_ptr<Deadline> victim;
  std::unique_ptr<Deadline> suicidal;
  Deadline again(set, [&] {
    ++fired;
    again.Set(absl::Seconds(1));
    victim.reset();
  });
  victim = std::make_unique<Deadline>(set, [&] { fired += 100; });
  suicidal = std::make_unique<Deadline>(set, [&] {
    ++fired;
    suicidal.reset();
  });
  again.Set(absl::Seconds(1));
  victim->Set(absl::Seconds(1));
  suicidal->Set(absl::Seconds(1));
  Tick(set, 2);
  EXPECT_EQ(fired, 2);
  Tick(set, 2);
  EXPECT_EQ(fired, 3);
}

TEST(DeadlineTest, ManyThatExpireTogetherTakeTurns) {
  constexpr int kMany = 100;
  DeadlineSet set(absl::Seconds(1));
  int fired = 0;
  std::vector<std::unique_ptr<Deadline>> deadlines;
  for (int i = 0; i < kMany; ++i) {
    deadlines.push_back(std::make_unique<Deadline>(set, [&] { ++fired; }));
    deadlines.back()->Set(absl::Seconds(1));
  }
  Tick(set, 1);
  EXPECT_TRUE(set.Tick());
  EXPECT_EQ(fired, DeadlineSet::kCallbacksPerTurn);
  deadlines[kMany - 1].reset();
  deadlines[kMany - 2]->Set(absl::Seconds(5));
  int turns = 1;
  while (set.RunDue()) ++turns;
  EXPECT_EQ(fired, kMany - 2);
  EXPECT_EQ(turns, (kMany - 2) / DeadlineSet::kCallbacksPerTurn);
  EXPECT_TRUE(deadlines[kMany - 2]->armed());
}

TEST(DeadlineTest, ACallbackMayPutOffAnotherThatIsDue) {
  DeadlineSet set(absl::Seconds(1));
  int fired = 0;
  Deadline second(set, [&] { ++fired; });
  Deadline first(set, [&] { second.Set(absl::Seconds(2)); });
  first.Set(absl::Seconds(1));
  second.Set(absl::Seconds(1));
  Deadline third(set, [&] { second.Set(absl::Seconds(2)); });
  third.Set(absl::Seconds(1));
  Tick(set, 2);
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(second.armed());
  Tick(set, 2);
  EXPECT_EQ(fired, 0);
  Tick(set, 1);
  EXPECT_EQ(fired, 1);
}

}  // namespace
}  // namespace steward::http

#include "base/clock/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward {
namespace {

VoidTask Note(FakeClock& clock, absl::Duration after, int id, std::vector<int>& order) {
  co_await clock.Sleep(after);
  order.push_back(id);
}

TEST(FakeClockTest, WakesInOrderOfTime) {
  boost::asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  std::vector<int> order;
  group.Spawn("2", Note(clock, absl::Seconds(2), 2, order));
  group.Spawn("1", Note(clock, absl::Seconds(1), 1, order));
  group.Spawn("9", Note(clock, absl::Seconds(9), 9, order));
  io.poll();
  EXPECT_EQ(clock.sleepers(), 3u);
  clock.Advance(absl::Seconds(1) - absl::Nanoseconds(1));
  io.poll();
  EXPECT_THAT(order, ::testing::IsEmpty());
  clock.Advance(absl::Seconds(5));
  io.poll();
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(clock.sleepers(), 1u);
  RunOn(io, group.Stop());
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
  EXPECT_EQ(clock.sleepers(), 0u);
}

TEST(FakeClockTest, WakesEvenWhenTimePassedBeforeTheTaskRan) {
  boost::asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  std::vector<int> order;
  group.Spawn("1", Note(clock, absl::Seconds(1), 1, order));
  io.poll_one();
  clock.Advance(absl::Seconds(1));
  io.poll();
  EXPECT_THAT(order, ::testing::ElementsAre(1));
}

TEST(FakeClockTest, SettingTheWallClockMovesNothingElse) {
  boost::asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  std::vector<int> order;
  group.Spawn("2", Note(clock, absl::Seconds(2), 2, order));
  io.poll();
  const absl::Time now = clock.Now();
  const absl::Duration monotonic = clock.Monotonic();
  clock.SetBy(absl::Hours(1));
  EXPECT_EQ(clock.Now(), now + absl::Hours(1));
  EXPECT_EQ(clock.Monotonic(), monotonic);
  io.poll();
  EXPECT_THAT(order, ::testing::IsEmpty());
  clock.SetBy(-absl::Hours(2));
  clock.Advance(absl::Seconds(2));
  EXPECT_EQ(clock.Now(), now - absl::Hours(1) + absl::Seconds(2));
  EXPECT_EQ(clock.Monotonic(), monotonic + absl::Seconds(2));
  io.restart();
  io.poll();
  EXPECT_THAT(order, ::testing::ElementsAre(2));
}

TEST(RealClockTest, MonotonicGoesForward) {
  const absl::Duration before = Clock::Real().Monotonic();
  EXPECT_GT(before, absl::ZeroDuration());
  EXPECT_GE(Clock::Real().Monotonic(), before);
}

TEST(RealClockTest, SleepsAndCancels) {
  boost::asio::io_context io;
  const absl::Time before = Clock::Real().Now();
  RunOn(io, Clock::Real().Sleep(absl::Milliseconds(1)));
  EXPECT_GE(Clock::Real().Now(), before);
  TaskGroup group(io.get_executor());
  group.Spawn("long", Clock::Real().Sleep(absl::Hours(1)));
  RunOn(io, group.Stop());
  EXPECT_EQ(group.size(), 0u);
}

}  // namespace
}  // namespace steward

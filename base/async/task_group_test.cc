#include "base/async/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;

// Counts its live instances, however a task ends.
struct Alive {
  explicit Alive(int& n) : count(n) { ++count; }
  ~Alive() { --count; }
  int& count;
};

VoidTask SleepForEver(FakeClock& clock, int& alive) {
  Alive guard(alive);
  for (;;) co_await clock.Sleep(absl::Hours(1));
}

VoidTask Nothing() { co_return; }

TEST(TaskGroupTest, StopCancelsAndWaits) {
  asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  int alive = 0;
  for (int i = 0; i < 3; ++i) group.Spawn("sleeper", SleepForEver(clock, alive));
  io.poll();
  EXPECT_EQ(alive, 3);
  EXPECT_EQ(group.size(), 3u);
  RunOn(io, group.Stop());
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroupTest, StopIsIdempotentAndEndsSpawning) {
  asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  int alive = 0;
  RunOn(io, group.Stop());
  RunOn(io, group.Stop());
  group.Spawn("late", SleepForEver(clock, alive));
  io.restart();
  io.poll();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroupTest, CancelsOneTask) {
  asio::io_context io;
  FakeClock clock;
  TaskGroup group(io.get_executor());
  int first = 0;
  int second = 0;
  const TaskGroup::Ref ref = group.Spawn("first", SleepForEver(clock, first));
  group.Spawn("second", SleepForEver(clock, second));
  io.poll();
  ref.Cancel();
  io.poll();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  ref.Cancel();
  TaskGroup::Ref().Cancel();
  RunOn(io, group.Stop());
  ref.Cancel();
}

TEST(TaskGroupTest, EndedTasksLeave) {
  asio::io_context io;
  TaskGroup group(io.get_executor());
  group.Spawn("short", Nothing());
  EXPECT_EQ(group.size(), 1u);
  io.run();
  EXPECT_EQ(group.size(), 0u);
}

TEST(TaskGroupDeathTest, DestroyedWhileRunning) {
  EXPECT_DEATH(
      {
        asio::io_context io;
        FakeClock clock;
        int alive = 0;
        TaskGroup group(io.get_executor());
        group.Spawn("left over", SleepForEver(clock, alive));
      },
      "left over");
}

}  // namespace
}  // namespace steward

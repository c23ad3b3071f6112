#include "base/clock/heartbeats.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

class HeartbeatsTest : public testing::Test {
 protected:
  void Spawn(boost::asio::io_context& io, TaskGroup& tasks, const char* name) {
    tasks.Spawn(name, beats_.Beat(name));
    Turn(io);
  }
  static void Turn(boost::asio::io_context& io) {
    io.restart();
    io.poll();
  }
  // Lets `seconds` pass while `io` keeps running.
  void Pass(boost::asio::io_context& io, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock_.Advance(absl::Seconds(1));
      Turn(io);
    }
  }

  FakeClock clock_;
  Heartbeats beats_{clock_, absl::Seconds(30)};
  boost::asio::io_context lively_, stuck_;
};

TEST_F(HeartbeatsTest, AThreadThatStopsIsNamed) {
  TaskGroup lively(lively_.get_executor()), stuck(stuck_.get_executor());
  EXPECT_OK(beats_.Check());
  Spawn(lively_, lively, "a");
  Spawn(stuck_, stuck, "b");
  Pass(lively_, 30);
  EXPECT_OK(beats_.Check());
  Pass(lively_, 1);
  EXPECT_EQ(beats_.Check().message(), "silent: b for 31s");
  // The stuck thread continues.
  Pass(stuck_, 1);
  EXPECT_OK(beats_.Check());
  RunOn(lively_, lively.Stop());
  RunOn(stuck_, stuck.Stop());
}

TEST_F(HeartbeatsTest, AThreadThatHasEndedIsNotMissed) {
  TaskGroup tasks(lively_.get_executor());
  Spawn(lively_, tasks, "a");
  RunOn(lively_, tasks.Stop());
  clock_.Advance(absl::Minutes(1));
  EXPECT_OK(beats_.Check());
}

}  // namespace
}  // namespace steward

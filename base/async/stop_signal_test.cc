#include "base/async/stop_signal.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>

#include "base/async/run.h"
#include "base/async/task_group.h"

namespace steward {
namespace {

VoidTask Count(StopSignal& signal, int& ended) {
  co_await signal.Wait();
  ++ended;
}

class StopSignalTest : public testing::Test {
 protected:
  ~StopSignalTest() override { RunOn(io_, tasks_.Stop()); }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_;
  TaskGroup tasks_{io_.get_executor()};
  int ended_ = 0;
};

TEST_F(StopSignalTest, EndsAllWaitsThenAndLater) {
  StopSignal signal;
  tasks_.Spawn("a", Count(signal, ended_));
  tasks_.Spawn("b", Count(signal, ended_));
  Settle();
  EXPECT_EQ(ended_, 0);
  signal.Set();
  Settle();
  EXPECT_EQ(ended_, 2);
  signal.Set();
  tasks_.Spawn("c", Count(signal, ended_));
  Settle();
  EXPECT_EQ(ended_, 3);
}

TEST_F(StopSignalTest, EndsWaitsForSomethingElse) {
  StopSignal signal;
  Broadcast other;
  const auto wait = [](StopSignal& stop, Broadcast& broadcast, int& ended) -> VoidTask {
    co_await stop.WaitOr(broadcast, broadcast.Now(), std::chrono::steady_clock::time_point::max());
    ++ended;
  };
  tasks_.Spawn("a", wait(signal, other, ended_));
  Settle();
  EXPECT_FALSE(signal.IsSet());
  EXPECT_EQ(ended_, 0);
  other.Notify();
  Settle();
  EXPECT_EQ(ended_, 1);
  tasks_.Spawn("b", wait(signal, other, ended_));
  Settle();
  signal.Set();
  Settle();
  EXPECT_TRUE(signal.IsSet());
  EXPECT_EQ(ended_, 2);
}

TEST_F(StopSignalTest, WaitsAreCancelled) {
  auto signal = std::make_unique<StopSignal>();
  tasks_.Spawn("a", Count(*signal, ended_));
  Settle();
  signal.reset();
  Settle();
  RunOn(io_, tasks_.Stop());
  EXPECT_EQ(ended_, 0);
}

}  // namespace
}  // namespace steward

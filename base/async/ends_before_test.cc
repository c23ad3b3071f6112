#include "base/async/ends_before.h"

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "base/async/broadcast.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

class EndsBeforeTest : public ::testing::Test {
 protected:
  ~EndsBeforeTest() override { RunOn(io_, tasks_.Stop()); }

  static VoidTask Work(const Broadcast& go, bool& over) {
    struct Over {
      bool& over;
      ~Over() { over = true; }
    } note{over};
    co_await go.WaitSince(go.Now(), std::chrono::steady_clock::time_point::max());
  }
  static VoidTask Run(EndsBeforeTest& test) {
    test.ended_first_ = co_await EndsBefore(test.stop_, Work(test.go_, test.over_));
    test.returned_ = true;
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }

  boost::asio::io_context io_{1};
  Broadcast go_;
  StopSignal stop_;
  bool over_ = false;
  bool returned_ = false;
  bool ended_first_ = false;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(EndsBeforeTest, TheTaskEnds) {
  tasks_.Spawn("run", Run(*this));
  Settle();
  EXPECT_FALSE(returned_);
  go_.Notify();
  Settle();
  EXPECT_TRUE(returned_);
  EXPECT_TRUE(ended_first_);
}

TEST_F(EndsBeforeTest, StoppedTheTaskIsCancelledAndHasEnded) {
  tasks_.Spawn("run", Run(*this));
  Settle();
  stop_.Set();
  Settle();
  EXPECT_TRUE(returned_);
  EXPECT_FALSE(ended_first_);
  EXPECT_TRUE(over_);
}

TEST_F(EndsBeforeTest, StoppedBeforeItNeverWaits) {
  stop_.Set();
  tasks_.Spawn("run", Run(*this));
  Settle();
  EXPECT_TRUE(returned_);
  EXPECT_FALSE(ended_first_);
}

}  // namespace
}  // namespace steward

#include "base/async/in_flight.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <stdexcept>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;

class InFlightTest : public ::testing::Test {
 protected:
  // Records its number, and ends after that many seconds.
  VoidTask Work(size_t i) {
    begun_.push_back(i);
    ++running_;
    struct Ended {
      int& running;
      ~Ended() { --running; }
    } ended{running_};
    co_await clock_.Sleep(absl::Seconds(static_cast<double>(i)));
    done_.push_back(i);
  }
  VoidTask All(size_t count, size_t width) {
    co_await ForEachInFlight(count, width, [this](size_t i) { return Work(i); });
    finished_ = true;
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock_.Advance(absl::Seconds(1));
      Settle();
    }
  }

  asio::io_context io_{1};
  FakeClock clock_;
  TaskGroup tasks_{io_.get_executor()};
  std::vector<size_t> begun_, done_;
  int running_ = 0;
  bool finished_ = false;
};

TEST_F(InFlightTest, RunsEachOnceAndNoMoreThanTheWidthAtATime) {
  tasks_.Spawn("all", All(5, 2));
  Settle();
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2));
  EXPECT_EQ(running_, 2);
  Pass(1);
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2, 3));
  Pass(1);
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(finished_);
  Pass(4);
  EXPECT_THAT(done_, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(finished_);
}

TEST_F(InFlightTest, NothingToDoIsDone) {
  RunOn(io_, All(0, 2));
  EXPECT_TRUE(finished_);
}

TEST_F(InFlightTest, CancellingEndsThoseUnderWayAndBeginsNoMore) {
  tasks_.Spawn("all", All(5, 2));
  Settle();
  RunOn(io_, tasks_.Stop());
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2));
  EXPECT_EQ(running_, 0);
  EXPECT_FALSE(finished_);
}

VoidTask FailAtTwo(Clock& clock, size_t i) {
  if (i == 2) throw std::runtime_error("two");
  co_await clock.Sleep(absl::Seconds(100));
}

TEST_F(InFlightTest, AnExceptionEndsAll) {
  EXPECT_THROW(RunOn(io_, ForEachInFlight(5, 3, [this](size_t i) { return FailAtTwo(clock_, i); })),
               std::runtime_error);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

}  // namespace
}  // namespace steward

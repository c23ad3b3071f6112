#include "apiserver/server/watch_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward::server {
namespace {

class WatchGroupsTest : public testing::Test {
 protected:
  ~WatchGroupsTest() override { RunOn(io_, tasks_.Stop()); }
  void End(absl::Duration duration) {
    tasks_.Spawn("end", groups_.End(clock_, duration));
    Turn();
  }
  void Pass(absl::Duration duration) {
    clock_.Advance(duration);
    Turn();
  }
  void Turn() {
    io_.restart();
    io_.poll();
  }
  void Begin(size_t watches) {
    for (size_t i = 0; i < watches; ++i) watches_.push_back(groups_.Next());
  }
  size_t Ended() const {
    return static_cast<size_t>(
        std::count_if(watches_.begin(), watches_.end(),
                      [](const StopSignal* signal) { return signal->IsSet(); }));
  }

  FakeClock clock_;
  boost::asio::io_context io_;
  TaskGroup tasks_{io_.get_executor()};
  WatchGroups groups_;
  std::vector<const StopSignal*> watches_;
};

TEST_F(WatchGroupsTest, TheyEndEvenlyInTheSecondHalf) {
  Begin(320);
  End(absl::Seconds(64));
  Pass(absl::Seconds(32));
  EXPECT_EQ(Ended(), 0u);
  for (size_t second = 1; second <= 32; ++second) {
    Pass(absl::Seconds(1));
    EXPECT_EQ(Ended(), 10 * second);
  }
  EXPECT_EQ(tasks_.size(), 0u);
}

TEST_F(WatchGroupsTest, WhoComesLateIsNotEndedAtOnce) {
  End(absl::Seconds(64));
  Pass(absl::Seconds(63));
  Begin(10);
  EXPECT_EQ(Ended(), 0u);
  Pass(absl::Seconds(1));
  EXPECT_EQ(Ended(), 10u);
  Begin(1);
  EXPECT_EQ(Ended(), 11u) << "nothing goes on any more";
}

TEST_F(WatchGroupsTest, WithoutADelayAllEndAtOnce) {
  Begin(100);
  End(absl::ZeroDuration());
  EXPECT_EQ(Ended(), 100u);
}

}  // namespace
}  // namespace steward::server

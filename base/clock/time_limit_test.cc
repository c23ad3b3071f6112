#include "base/clock/time_limit.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <stdexcept>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;

struct Alive {
  explicit Alive(int& n) : count(n) { ++count; }
  ~Alive() { --count; }
  int& count;
};

VoidTask SleepFor(Clock& clock, absl::Duration duration, int& alive) {
  Alive guard(alive);
  co_await clock.Sleep(duration);
}

VoidTask Throw() {
  throw std::runtime_error("own");
  co_return;
}

Task<int> Answer(Clock& clock, absl::Duration after) {
  co_await clock.Sleep(after);
  co_return 42;
}

VoidTask Keep(asio::awaitable<Ending> task, std::optional<Ending>& result) {
  result = co_await std::move(task);
}
VoidTask KeepAnswer(Task<int> task, std::optional<absl::StatusOr<int>>& result) {
  result.emplace(co_await std::move(task));
}

class TimeLimitTest : public ::testing::Test {
 protected:
  ~TimeLimitTest() override { RunOn(io_, group_.Stop()); }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  FakeClock clock_;
  asio::io_context io_;
  TaskGroup group_{io_.get_executor()};
  int alive_ = 0;
  std::optional<Ending> ended_;
};

TEST_F(TimeLimitTest, EndsInTime) {
  group_.Spawn("t",
               Keep(RunWithin(clock_, absl::Seconds(2), SleepFor(clock_, absl::Seconds(1), alive_)),
                    ended_));
  Settle();
  EXPECT_EQ(alive_, 1);
  clock_.Advance(absl::Seconds(1));
  Settle();
  EXPECT_EQ(ended_, Ending::kInTime);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(TimeLimitTest, CancelledAtTheLimit) {
  group_.Spawn("t",
               Keep(RunWithin(clock_, absl::Seconds(2), SleepFor(clock_, absl::Seconds(3), alive_)),
                    ended_));
  Settle();
  clock_.Advance(absl::Seconds(2));
  Settle();
  EXPECT_EQ(ended_, Ending::kCancelled);
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(TimeLimitTest, OwnExceptionsPass) {
  EXPECT_THROW(RunOn(io_, RunWithin(clock_, absl::Seconds(2), Throw())), std::runtime_error);
}

TEST_F(TimeLimitTest, OuterCancellationUnwinds) {
  group_.Spawn("t",
               Keep(RunWithin(clock_, absl::Seconds(2), SleepFor(clock_, absl::Seconds(1), alive_)),
                    ended_));
  Settle();
  RunOn(io_, group_.Stop());
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(ended_, std::nullopt);
}

VoidTask Stubborn(Clock& clock) {
  try {
    co_await clock.Sleep(absl::Seconds(9));
  } catch (const boost::system::system_error&) {
  }
}

TEST_F(TimeLimitTest, MayReturnAllTheSame) {
  group_.Spawn("t", Keep(RunWithin(clock_, absl::Seconds(2), Stubborn(clock_)), ended_));
  Settle();
  clock_.Advance(absl::Seconds(2));
  Settle();
  EXPECT_EQ(ended_, Ending::kLate);
}

// Each limit applies on its own, and cancellation passes through all of them.
VoidTask Nested(Clock& clock, int& alive, std::optional<Ending>& inner) {
  inner = co_await RunWithin(clock, absl::Seconds(1), SleepFor(clock, absl::Seconds(9), alive));
  co_await SleepFor(clock, absl::Seconds(9), alive);
}

TEST_F(TimeLimitTest, Nests) {
  std::optional<Ending> inner;
  group_.Spawn("t",
               Keep(RunWithin(clock_, absl::Seconds(3), Nested(clock_, alive_, inner)), ended_));
  Settle();
  clock_.Advance(absl::Seconds(1));
  Settle();
  EXPECT_EQ(inner, Ending::kCancelled);
  EXPECT_EQ(alive_, 1);
  clock_.Advance(absl::Seconds(2));
  Settle();
  EXPECT_EQ(ended_, Ending::kCancelled);
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(TimeLimitTest, OuterCancellationGoesThroughAll) {
  std::optional<Ending> inner;
  group_.Spawn("t",
               Keep(RunWithin(clock_, absl::Seconds(3), Nested(clock_, alive_, inner)), ended_));
  Settle();
  RunOn(io_, group_.Stop());
  EXPECT_EQ(alive_, 0);
  EXPECT_EQ(inner, std::nullopt);
  EXPECT_EQ(ended_, std::nullopt);
  EXPECT_EQ(clock_.sleepers(), 0u);
}

TEST_F(TimeLimitTest, ResultOrDeadlineExceeded) {
  std::optional<absl::StatusOr<int>> quick, slow;
  group_.Spawn("quick", KeepAnswer(WithTimeout(clock_, absl::Seconds(2), "it",
                                               Answer(clock_, absl::Seconds(1))),
                                   quick));
  group_.Spawn("slow", KeepAnswer(WithTimeout(clock_, absl::Seconds(2), "it",
                                              Answer(clock_, absl::Seconds(3))),
                                  slow));
  Settle();
  clock_.Advance(absl::Seconds(1));
  Settle();
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_TRUE(quick.has_value() && slow.has_value());
  EXPECT_THAT(*quick, IsOkAndHolds(42));
  EXPECT_THAT(*slow, StatusIs(absl::StatusCode::kDeadlineExceeded));
}

}  // namespace
}  // namespace steward

// Tests of calls across executors and of time limits.
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <memory>
#include <string>
#include <thread>

#include "base/async/on_executor.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/clock/time_limit.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;

// A thread that runs an io_context.
struct Worker {
  ~Worker() {
    work.reset();
    thread.join();
  }
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread thread{[this] { io.run(); }};
};

Task<std::thread::id> ThreadHere() { co_return std::this_thread::get_id(); }

Task<bool> CallsBothWays(asio::any_io_executor other, std::thread::id expected) {
  const std::thread::id before = std::this_thread::get_id();
  const absl::StatusOr<std::thread::id> there = co_await OnExecutor(other, ThreadHere());
  co_return there.ok() && *there == expected&& std::this_thread::get_id() == before;
}

TEST(OnExecutorTest, RunsThereAndReturnsHere) {
  Worker worker;
  asio::io_context io{1};
  EXPECT_THAT(RunOn(io, CallsBothWays(worker.io.get_executor(), worker.thread.get_id())),
              IsOkAndHolds(true));
}

StatusTask Throws() {
  throw boost::system::system_error(asio::error::host_not_found);
  co_return absl::OkStatus();
}

TEST(OnExecutorTest, ExceptionsComeBack) {
  Worker worker;
  asio::io_context io{1};
  EXPECT_THROW((void)RunOn(io, OnExecutor(worker.io.get_executor(), Throws())),
               boost::system::system_error);
}

// Sleeps forever, and records when it ended.
StatusTask SleepForEver(Clock& clock, std::atomic<bool>& began, bool& ended) {
  struct AtEnd {
    bool& ended;
    ~AtEnd() { ended = true; }
  } at_end{ended};
  began = true;
  co_await clock.Sleep(absl::Hours(1));
  co_return absl::OkStatus();
}

VoidTask CallSleeper(asio::any_io_executor other, Clock& clock, std::atomic<bool>& began,
                     bool& ended, bool& ended_first) {
  struct AtEnd {
    bool& ended;
    bool& ended_first;
    ~AtEnd() { ended_first = ended; }
  } at_end{ended, ended_first};
  (void)co_await OnExecutor(other, SleepForEver(clock, began, ended));
}

TEST(OnExecutorTest, CancellationEndsTheOtherSideFirst) {
  for (const bool same_executor : {false, true}) {
    SCOPED_TRACE(same_executor);
    FakeClock clock;
    std::atomic<bool> began = false;
    bool ended = false;
    bool ended_first = false;
    Worker worker;
    asio::io_context io{1};
    TaskGroup group(io.get_executor());
    const asio::any_io_executor other =
        same_executor ? asio::any_io_executor(io.get_executor()) : worker.io.get_executor();
    group.Spawn("call", CallSleeper(other, clock, began, ended, ended_first));
    while (!began) {
      io.restart();
      io.poll();
    }
    RunOn(io, group.Stop());
    EXPECT_TRUE(ended_first);
    EXPECT_EQ(clock.sleepers(), 0u);
  }
}

StatusTask SleepThen(Clock& clock, absl::Duration duration, absl::Status result) {
  co_await clock.Sleep(duration);
  co_return result;
}

struct TimeoutCase {
  const char* name;
  absl::Duration takes;
  absl::Status gives;
  absl::StatusCode expected;
};

VoidTask Keep(StatusTask task, std::optional<absl::Status>& result) {
  absl::Status status = co_await std::move(task);
  result = std::move(status);
}

TEST(WithTimeoutTest, Limits) {
  const std::vector<TimeoutCase> rows = {
      {"in time", absl::Seconds(4), absl::OkStatus(), absl::StatusCode::kOk},
      {"fails in time", absl::Seconds(4), absl::NotFoundError("x"), absl::StatusCode::kNotFound},
      {"at once", absl::ZeroDuration(), absl::OkStatus(), absl::StatusCode::kOk},
      {"too late", absl::Seconds(6), absl::OkStatus(), absl::StatusCode::kDeadlineExceeded},
  };
  for (const TimeoutCase& row : rows) {
    SCOPED_TRACE(row.name);
    asio::io_context io{1};
    FakeClock clock;
    TaskGroup group(io.get_executor());
    std::optional<absl::Status> result;
    group.Spawn("call", Keep(WithTimeout(clock, absl::Seconds(5), "call",
                                         SleepThen(clock, row.takes, row.gives)),
                             result));
    for (int second = 0; second < 5; ++second) {
      io.restart();
      io.poll();
      clock.Advance(absl::Seconds(1));
    }
    io.restart();
    io.poll();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->code(), row.expected) << *result;
    EXPECT_EQ(clock.sleepers(), 0u);
    RunOn(io, group.Stop());
  }
}

TEST(WithTimeoutTest, CancellationUnwinds) {
  asio::io_context io{1};
  FakeClock clock;
  TaskGroup group(io.get_executor());
  std::optional<absl::Status> result;
  std::atomic<bool> began = false;
  bool ended = false;
  group.Spawn("call",
              Keep(WithTimeout(clock, absl::Seconds(5), "call", SleepForEver(clock, began, ended)),
                   result));
  io.poll();
  RunOn(io, group.Stop());
  EXPECT_TRUE(ended);
  EXPECT_FALSE(result);
}

}  // namespace
}  // namespace steward

// Limits on how long a task may run. The task runs on the caller's executor.
#ifndef BASE_CLOCK_TIME_LIMIT_H_
#define BASE_CLOCK_TIME_LIMIT_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward {

enum class Ending {
  kInTime,
  kLate,       // cancelled at the limit, but returned without an exception
  kCancelled,  // cancelled at the limit
};

// Runs `task`, and cancels it when it has not ended after `limit`. The task has ended when this
// returns. An exception of `task` other than that cancellation is rethrown. Cancelling the returned
// task cancels `task`, too. REQUIRES: `clock` outlives the call.
boost::asio::awaitable<Ending> RunWithin(Clock& clock, absl::Duration limit, VoidTask task);

namespace time_limit_internal {
template <typename Result>
VoidTask Store(boost::asio::awaitable<Result> task, std::optional<Result>& result) {
  result.emplace(co_await std::move(task));
}
}  // namespace time_limit_internal

// The result of `task`, or kDeadlineExceeded "<what>: no answer within <timeout>" when it was
// cancelled. `Result` is an absl::Status or absl::StatusOr.
template <typename Result>
boost::asio::awaitable<Result> WithTimeout(Clock& clock, absl::Duration timeout, std::string what,
                                           boost::asio::awaitable<Result> task) {
  std::optional<Result> result;
  const Ending ending =
      co_await RunWithin(clock, timeout, time_limit_internal::Store(std::move(task), result));
  // The task may have succeeded at the very moment of the limit.
  if (ending == Ending::kInTime || (ending == Ending::kLate && result->ok())) {
    co_return *std::move(result);
  }
  co_return absl::DeadlineExceededError(
      absl::StrCat(what, ": no answer within ", absl::FormatDuration(timeout)));
}

}  // namespace steward

#endif  // BASE_CLOCK_TIME_LIMIT_H_

// Bounding how long a task may run.
#ifndef APISERVER_FILTERS_TIME_LIMIT_H_
#define APISERVER_FILTERS_TIME_LIMIT_H_

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::filters {

// Runs `task` for at most `limit`. True: it ended by itself (an exception of its own is rethrown).
// False: it was cancelled at the limit and has unwound. Cancelling the returned task cancels both.
boost::asio::awaitable<bool> EndsWithin(Clock& clock, absl::Duration limit, VoidTask task);

namespace time_limit_internal {
template <typename T>
VoidTask Store(Task<T> task, std::optional<absl::StatusOr<T>>& result) {
  result.emplace(co_await std::move(task));
}
}  // namespace time_limit_internal

// The task's result, or kDeadlineExceeded.
template <typename T>
Task<T> WithTimeLimit(Clock& clock, absl::Duration limit, Task<T> task) {
  std::optional<absl::StatusOr<T>> result;
  const bool ended =
      co_await EndsWithin(clock, limit, time_limit_internal::Store<T>(std::move(task), result));
  if (!ended || !result.has_value()) {
    co_return absl::DeadlineExceededError("no answer within " + absl::FormatDuration(limit));
  }
  co_return *std::move(result);
}

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_TIME_LIMIT_H_

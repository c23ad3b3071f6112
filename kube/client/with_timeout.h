// A time limit for a task, on an injected clock.
#ifndef KUBE_CLIENT_WITH_TIMEOUT_H_
#define KUBE_CLIENT_WITH_TIMEOUT_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"

namespace steward {

// The result of `task`, or kDeadlineExceeded "<what>: no answer within <timeout>" when it has not
// ended after `timeout`; the task is then cancelled, and has ended when this returns. `Result` is
// an absl::Status or absl::StatusOr. REQUIRES: `clock` outlives the call.
template <typename Result>
boost::asio::awaitable<Result> WithTimeout(Clock& clock, absl::Duration timeout, std::string what,
                                           boost::asio::awaitable<Result> task) {
  namespace asio = boost::asio;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto group = asio::experimental::make_parallel_group(
      asio::co_spawn(executor, std::move(task), asio::deferred),
      asio::co_spawn(executor, clock.Sleep(timeout), asio::deferred));
  auto [order, task_exception, result, sleep_exception] =
      co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  const bool timed_out = order[0] == 1 && !sleep_exception;
  if (task_exception && !timed_out) std::rethrow_exception(task_exception);
  // A task may end by itself just when its time is over.
  if (!task_exception && (!timed_out || result.ok())) co_return std::move(result);
  co_return absl::DeadlineExceededError(
      absl::StrCat(what, ": no answer within ", absl::FormatDuration(timeout)));
}

}  // namespace steward

#endif  // KUBE_CLIENT_WITH_TIMEOUT_H_

#include "apiserver/filters/time_limit.h"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <tuple>

namespace steward::filters {
namespace asio = boost::asio;
namespace {

bool IsCancellation(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& e) {
    return e.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

}  // namespace

asio::awaitable<bool> EndsWithin(Clock& clock, absl::Duration limit, VoidTask task) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto group = asio::experimental::make_parallel_group(
      asio::co_spawn(executor, std::move(task), asio::deferred),
      asio::co_spawn(executor, clock.Sleep(limit), asio::deferred));
  // Both have ended when this returns, so what they refer to may go.
  auto ended = co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  const std::exception_ptr task_exception = std::get<1>(ended);

  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (task_exception == nullptr) co_return true;
  const bool task_was_first = std::get<0>(ended)[0] == 0;
  if (!task_was_first && IsCancellation(task_exception)) co_return false;
  std::rethrow_exception(task_exception);
}

}  // namespace steward::filters

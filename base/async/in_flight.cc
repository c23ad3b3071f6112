#include "base/async/in_flight.h"

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>
#include <vector>

namespace steward {
namespace asio = boost::asio;
namespace {

struct Queue {
  const size_t count;
  const std::function<VoidTask(size_t)> work;
  size_t next = 0;
};

VoidTask Worker(Queue& queue) {
  while (queue.next < queue.count) co_await queue.work(queue.next++);
}

}  // namespace

VoidTask ForEachInFlight(size_t count, size_t width, std::function<VoidTask(size_t)> work) {
  if (count == 0) co_return;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  Queue queue{count, std::move(work)};
  using Operation = decltype(asio::co_spawn(executor, Worker(queue), asio::deferred));
  std::vector<Operation> workers;
  for (size_t i = 0; i < std::min(count, width); ++i) {
    workers.push_back(asio::co_spawn(executor, Worker(queue), asio::deferred));
  }
  auto group = asio::experimental::make_parallel_group(std::move(workers));
  auto [order, exceptions] =
      co_await group.async_wait(asio::experimental::wait_for_one_error(), asio::use_awaitable);
  // Rethrow the first exception, because it caused the cancellation of the others.
  for (const size_t i : order) {
    if (exceptions[i]) std::rethrow_exception(exceptions[i]);
  }
  const asio::cancellation_state cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace steward

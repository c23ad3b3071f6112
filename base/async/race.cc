#include "base/async/race.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "base/async/cancellation.h"

namespace steward {
namespace asio = boost::asio;

VoidTask UntilOneEnds(VoidTask a, VoidTask b) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto both = asio::experimental::make_parallel_group(
      asio::co_spawn(executor, std::move(a), asio::deferred),
      asio::co_spawn(executor, std::move(b), asio::deferred));
  const auto [order, of_a, of_b] =
      co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  const std::exception_ptr& first = order[0] == 0 ? of_a : of_b;
  const std::exception_ptr& second = order[0] == 0 ? of_b : of_a;
  if (first) std::rethrow_exception(first);
  if (second && !IsCancellation(second)) std::rethrow_exception(second);
}

}  // namespace steward

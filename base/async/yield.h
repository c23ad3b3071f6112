// A pause that lets other work go first, for loops that may run long without waiting. May be called
// on any executor.
#ifndef BASE_ASYNC_YIELD_H_
#define BASE_ASYNC_YIELD_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async/task.h"

namespace steward {

// Returns when all work that was ready before on the caller's executor has run, due timers and
// sockets included. Cancellation takes effect at the caller's next co_await.
inline VoidTask Yield() {
  const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

}  // namespace steward

#endif  // BASE_ASYNC_YIELD_H_

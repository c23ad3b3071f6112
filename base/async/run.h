// A blocking run of one task to its end, on an io_context that no other thread runs: for tests and
// for the edges of the program.
#ifndef BASE_ASYNC_RUN_H_
#define BASE_ASYNC_RUN_H_

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "base/async/task.h"

namespace steward {

// Returns the task's result; other work of `io` runs meanwhile. REQUIRES: the task can end without
// outside help.
template <typename T>
T RunOn(boost::asio::io_context& io, boost::asio::awaitable<T> task) {
  std::optional<T> result;
  std::exception_ptr exception;
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr e, T value) {
    exception = e;
    result.emplace(std::move(value));
    io.stop();
  });
  io.restart();
  io.run();
  io.restart();
  if (exception) std::rethrow_exception(exception);
  return *std::move(result);
}

inline void RunOn(boost::asio::io_context& io, VoidTask task) {
  std::exception_ptr exception;
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr e) {
    exception = e;
    io.stop();
  });
  io.restart();
  io.run();
  io.restart();
  if (exception) std::rethrow_exception(exception);
}

}  // namespace steward

#endif  // BASE_ASYNC_RUN_H_

// Calls of a coroutine that must run on another executor, from any executor.
#ifndef BASE_ASYNC_ON_EXECUTOR_H_
#define BASE_ASYNC_ON_EXECUTOR_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/async/task.h"

namespace steward {

namespace on_executor_internal {

// The caller's half: used on the caller's executor only. The other half holds it only to post it
// back.
template <typename T>
struct Waiter {
  explicit Waiter(const boost::asio::any_io_executor& caller)
      : wake(caller, boost::asio::steady_timer::time_point::max()) {}

  boost::asio::steady_timer wake;
  bool done = false;
  std::exception_ptr exception;
  std::optional<T> value;
};

// The task's half: used on the task's executor.
struct Running {
  boost::asio::cancellation_signal cancel;
};

template <typename T>
void Start(const boost::asio::any_io_executor& executor, boost::asio::awaitable<T> task,
           std::shared_ptr<Waiter<T>> waiter, std::shared_ptr<Running> running) {
  namespace asio = boost::asio;
  auto on_done = [executor, running, waiter = std::move(waiter)](std::exception_ptr exception,
                                                                 T value) mutable {
    // The task's frame ends after this handler, and uses the signal until then.
    asio::post(executor, [running = std::move(running)] {});
    waiter->exception = exception;
    waiter->value.emplace(std::move(value));
    const asio::any_io_executor caller = waiter->wake.get_executor();
    asio::post(caller, [waiter = std::move(waiter)] {
      waiter->done = true;
      waiter->wake.cancel();
    });
  };
  asio::post(executor, [executor, task = std::move(task), running = std::move(running),
                        on_done = std::move(on_done)]() mutable {
    const asio::cancellation_slot slot = running->cancel.slot();
    asio::co_spawn(executor, std::move(task),
                   asio::bind_cancellation_slot(slot, std::move(on_done)));
  });
}

}  // namespace on_executor_internal

// Runs `task` on `executor` and returns its result on the caller's executor. Cancelling the caller
// cancels `task` and waits for its end, so that everything `task` refers to may be destroyed
// afterwards. (Asio's co_spawn across executors does not ensure this: it keeps the cancellation
// signal in the caller's slot, so a cancellation that arrives together with the completion finds
// the signal destroyed.)
//
// REQUIRES: both executors run one handler at a time (a strand, or an io_context with one thread);
// the caller's runs until the call has ended.
template <typename T>
boost::asio::awaitable<T> OnExecutor(boost::asio::any_io_executor executor,
                                     boost::asio::awaitable<T> task) {
  namespace asio = boost::asio;
  const asio::any_io_executor caller = co_await asio::this_coro::executor;
  if (caller == executor) {
    T result = co_await std::move(task);
    co_return result;
  }
  auto waiter = std::make_shared<on_executor_internal::Waiter<T>>(caller);
  auto running = std::make_shared<on_executor_internal::Running>();
  on_executor_internal::Start(executor, std::move(task), waiter, running);
  co_await waiter->wake.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!waiter->done) {
    asio::post(executor, [running] { running->cancel.emit(asio::cancellation_type::terminal); });
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    while (!waiter->done) {
      co_await waiter->wake.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (waiter->exception) std::rethrow_exception(waiter->exception);
  co_return *std::move(waiter->value);
}

}  // namespace steward

#endif  // BASE_ASYNC_ON_EXECUTOR_H_

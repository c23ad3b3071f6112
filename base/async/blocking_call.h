// A call that blocks its thread, for coroutines that can be cancelled. Lives on its executor.
#ifndef BASE_ASYNC_BLOCKING_CALL_H_
#define BASE_ASYNC_BLOCKING_CALL_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/async/task.h"
#include "base/status/macros.h"
#include "base/sync/mutex.h"

namespace steward {

// Runs a function that nothing can interrupt on a thread of its own. Nobody waits for that thread:
// a cancelled Run ends at once, and so does the destruction of this object. A caller that comes
// while the function runs shares its result, even if the first caller was cancelled. So each object
// has at most one thread.
template <typename T>
class BlockingCall {
 public:
  using Function = std::function<absl::StatusOr<T>()>;

  // `what` is the beginning of the error if no thread can be started. REQUIRES: `executor` runs one
  // handler at a time, and outlives this object. The objects that `function` refers to live as long
  // as it runs.
  BlockingCall(boost::asio::any_io_executor executor, std::string what, Function function)
      : state_(std::make_shared<State>(std::move(executor), std::move(what), std::move(function))) {
  }
  // REQUIRES: no Run is running.
  ~BlockingCall() {
    MutexLock lock(&state_->mutex);
    state_->executor.reset();
  }
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  // Returns the function's result; kUnavailable if no thread can be started.
  Task<T> Run() {
    const std::shared_ptr<State> state = state_;
    CO_RETURN_IF_ERROR(state->EnsureRunning());
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    Waiter waiter(executor);
    struct Leave {
      State& state;
      Waiter& waiter;
      ~Leave() { state.waiters.remove(&waiter); }
    } leave{*state, waiter};
    state->waiters.push_back(&waiter);
    co_await waiter.wake.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    if (!waiter.result) {
      throw boost::system::system_error(boost::asio::error::operation_aborted);
    }
    co_return *std::move(waiter.result);
  }

 private:
  // A caller of Run. Its timer is cancelled, and so wakes it, when the result is there.
  struct Waiter {
    explicit Waiter(const boost::asio::any_io_executor& executor)
        : wake(executor, boost::asio::steady_timer::time_point::max()) {}
    boost::asio::steady_timer wake;
    std::optional<absl::StatusOr<T>> result;
  };

  // Shared with the thread, which may outlive the call and the executor.
  struct State : std::enable_shared_from_this<State> {
    State(boost::asio::any_io_executor e, std::string w, Function f)
        : what(std::move(w)), function(std::move(f)), executor(std::move(e)) {}

    absl::Status EnsureRunning() {
      if (running) return absl::OkStatus();
      try {
        std::thread([self = this->shared_from_this()] { self->CallFunction(); }).detach();
      } catch (const std::system_error& error) {
        return absl::UnavailableError(absl::StrCat(what, ": ", error.what()));
      }
      running = true;
      return absl::OkStatus();
    }

    // Runs on the thread.
    void CallFunction() {
      absl::StatusOr<T> result = function();
      MutexLock lock(&mutex);
      if (!executor) return;
      boost::asio::post(*executor,
                        [self = this->shared_from_this(), result = std::move(result)]() mutable {
                          self->Finish(std::move(result));
                        });
    }

    void Finish(absl::StatusOr<T> result) {
      running = false;
      for (Waiter* waiter : std::exchange(waiters, {})) {
        waiter->result = result;
        waiter->wake.cancel();
      }
    }

    const std::string what;
    const Function function;
    // `running` and `waiters` are touched on the executor only.
    bool running = false;
    std::list<Waiter*> waiters;

    Mutex mutex;
    std::optional<boost::asio::any_io_executor> executor
        ABSL_GUARDED_BY(mutex);  // none: no one listens
  };

  std::shared_ptr<State> state_;
};

}  // namespace steward

#endif  // BASE_ASYNC_BLOCKING_CALL_H_

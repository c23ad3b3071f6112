#include "base/async/broadcast.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unordered_set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace steward {
namespace asio = boost::asio;

namespace {
struct Waiter {
  Waiter(const asio::any_io_executor& executor, std::chrono::steady_clock::time_point deadline)
      : timer(executor, deadline) {}
  asio::steady_timer timer;
  bool notified = false;  // touched on the timer's executor only
};
}  // namespace

struct Broadcast::State {
  absl::Mutex mutex;
  Ticket ticket ABSL_GUARDED_BY(mutex) = 0;
  std::unordered_set<std::shared_ptr<Waiter>> waiters ABSL_GUARDED_BY(mutex);
};

Broadcast::Broadcast() : state_(std::make_shared<State>()) {}
Broadcast::~Broadcast() = default;

Broadcast::Ticket Broadcast::Now() const {
  absl::MutexLock lock(&state_->mutex);
  return state_->ticket;
}

void Broadcast::Notify() {
  std::unordered_set<std::shared_ptr<Waiter>> woken;
  {
    absl::MutexLock lock(&state_->mutex);
    ++state_->ticket;
    woken.swap(state_->waiters);
  }
  for (const std::shared_ptr<Waiter>& waiter : woken) {
    asio::post(waiter->timer.get_executor(), [waiter] {
      waiter->notified = true;
      waiter->timer.cancel();
    });
  }
}

VoidTask Broadcast::WaitSince(Ticket ticket, std::chrono::steady_clock::time_point deadline) {
  const auto state = state_;
  auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, deadline);
  {
    absl::MutexLock lock(&state->mutex);
    if (state->ticket != ticket) co_return;
    state->waiters.insert(waiter);
  }
  // However the wait ends, the waiter must not stay behind.
  struct Cleanup {
    State& state;
    const std::shared_ptr<Waiter>& waiter;
    ~Cleanup() {
      absl::MutexLock lock(&state.mutex);
      state.waiters.erase(waiter);
    }
  } cleanup{*state, waiter};
  while (!waiter->notified) {
    boost::system::error_code error;
    co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!error) co_return;
    if (!waiter->notified) throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace steward

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
#include "base/sync/mutex.h"

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
  Mutex mutex;
  Ticket ticket ABSL_GUARDED_BY(mutex) = 0;
  std::unordered_set<std::shared_ptr<Waiter>> waiters ABSL_GUARDED_BY(mutex);
};

Broadcast::Broadcast() : state_(std::make_shared<State>()) {}
Broadcast::~Broadcast() = default;

Broadcast::Ticket Broadcast::Now() const {
  MutexLock lock(&state_->mutex);
  return state_->ticket;
}

void Broadcast::Notify() {
  // Under the lock, which a waiter takes to leave: until it is released each waiter's executor is
  // there. The last reference to a waiter goes with its post, so that its timer is destroyed where
  // it belongs.
  MutexLock lock(&state_->mutex);
  ++state_->ticket;
  while (!state_->waiters.empty()) {
    auto node = state_->waiters.extract(state_->waiters.begin());
    const asio::any_io_executor executor = node.value()->timer.get_executor();
    asio::post(executor, [waiter = std::move(node.value())] {
      waiter->notified = true;
      waiter->timer.cancel();
    });
  }
}

VoidTask Broadcast::Wait(std::array<Awaited, 2> awaited,
                         std::chrono::steady_clock::time_point deadline) {
  auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor, deadline);
  // However the wait ends, the waiter must not stay behind.
  struct Cleanup {
    const std::array<Awaited, 2>& awaited;
    const std::shared_ptr<Waiter>& waiter;
    ~Cleanup() {
      for (const auto& [state, ticket] : awaited) {
        if (state == nullptr) continue;
        MutexLock lock(&state->mutex);
        state->waiters.erase(waiter);
      }
    }
  } cleanup{awaited, waiter};
  for (const auto& [state, ticket] : awaited) {
    if (state == nullptr) continue;
    MutexLock lock(&state->mutex);
    if (state->ticket != ticket) co_return;
    state->waiters.insert(waiter);
  }
  while (!waiter->notified) {
    boost::system::error_code error;
    co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!error) co_return;
    if (!waiter->notified) throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace steward

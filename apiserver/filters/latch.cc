#include "apiserver/filters/latch.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward::filters {
namespace asio = boost::asio;
namespace {

// The timer never expires: it is cancelled, on its own executor, to wake the task.
struct Waiter {
  explicit Waiter(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer timer;
  bool woken = false;  // touched on the timer's executor only
};
using Waiters = std::list<std::shared_ptr<Waiter>>;

}  // namespace

struct Latch::State {
  Mutex mutex;
  bool open ABSL_GUARDED_BY(mutex) = false;
  Waiters waiters ABSL_GUARDED_BY(mutex);

  // False when open already.
  bool Enter(const std::shared_ptr<Waiter>& waiter) {
    MutexLock lock(&mutex);
    if (open) return false;
    waiters.push_back(waiter);
    return true;
  }
  void Leave(const std::shared_ptr<Waiter>& waiter) {
    MutexLock lock(&mutex);
    waiters.remove(waiter);
  }
};

Latch::Latch() : state_(std::make_shared<State>()) {}
Latch::~Latch() = default;

void Latch::Open() {
  Waiters waiters;
  {
    MutexLock lock(&state_->mutex);
    state_->open = true;
    waiters.swap(state_->waiters);
  }
  for (const std::shared_ptr<Waiter>& waiter : waiters) {
    asio::post(waiter->timer.get_executor(), [waiter] {
      waiter->woken = true;
      waiter->timer.cancel();
    });
  }
}

VoidTask Latch::Wait() {
  auto state = state_;
  auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  if (!state->Enter(waiter)) co_return;
  boost::system::error_code ignored;
  co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  if (waiter->woken) co_return;
  state->Leave(waiter);
  throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace steward::filters

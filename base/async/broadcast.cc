#include "base/async/broadcast.h"

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward {
namespace asio = boost::asio;

namespace {

// The number of waiters woken before other work of their executor gets a turn.
constexpr size_t kWakesPerTurn = 100;

struct Waiter {
  Waiter(const asio::any_io_executor& executor, std::chrono::steady_clock::time_point deadline)
      : timer(executor, deadline) {}
  asio::steady_timer timer;
  bool notified = false;  // touched on the timer's executor only
};

using Waiters = std::unordered_set<std::shared_ptr<Waiter>>;

}  // namespace

struct Broadcast::State {
  // The waiters of one executor. A waiter is in one of the two sets, and leaves it under the lock
  // before its executor ends. So as long as a set has a waiter, the executor exists.
  struct Group {
    explicit Group(asio::any_io_executor of) : executor(std::move(of)) {}
    const asio::any_io_executor executor;
    Waiters waiting;      // for the next Notify
    Waiters due;          // to be woken
    bool posted = false;  // a call of WakeSome was posted
  };

  // The group of the executor; null when the executor has no waiters.
  Group* Find(const asio::any_io_executor& executor) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group->executor == executor; });
    return found == groups.end() ? nullptr : found->get();
  }
  void Enter(const std::shared_ptr<Waiter>& waiter, const asio::any_io_executor& executor)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Group* group = Find(executor);
    if (group == nullptr) {
      group = groups.emplace_back(std::make_unique<Group>(executor)).get();
    }
    group->waiting.insert(waiter);
  }
  // Does nothing when the waiter is not there.
  void Leave(const std::shared_ptr<Waiter>& waiter, const asio::any_io_executor& executor)
      ABSL_LOCKS_EXCLUDED(mutex) {
    MutexLock lock(&mutex);
    Group* const group = Find(executor);
    if (group == nullptr) return;
    group->waiting.erase(waiter);
    group->due.erase(waiter);
    if (!group->waiting.empty() || !group->due.empty()) return;
    std::erase_if(groups, [group](const auto& one) { return one.get() == group; });
  }

  Mutex mutex;
  Ticket ticket ABSL_GUARDED_BY(mutex) = 0;
  // There are few: one for each executor that has waiters. Their order does not matter.
  std::vector<std::unique_ptr<Group>> groups ABSL_GUARDED_BY(mutex);
};

Broadcast::Broadcast() : state_(std::make_shared<State>()) {}
Broadcast::~Broadcast() = default;

Broadcast::Ticket Broadcast::Now() const {
  MutexLock lock(&state_->mutex);
  return state_->ticket;
}

// Wakes waiters of `executor`; runs on it.
void Broadcast::WakeSome(const std::shared_ptr<State>& state,
                         const asio::any_io_executor& executor) {
  Waiters woken;
  bool more = false;
  {
    MutexLock lock(&state->mutex);
    State::Group* const group = state->Find(executor);
    if (group == nullptr) return;
    while (!group->due.empty() && woken.size() < kWakesPerTurn) {
      woken.insert(group->due.extract(group->due.begin()));
    }
    more = group->posted = !group->due.empty();
  }
  for (const std::shared_ptr<Waiter>& waiter : woken) {
    waiter->notified = true;
    waiter->timer.cancel();
  }
  if (more) asio::post(executor, [state, executor] { WakeSome(state, executor); });
}

void Broadcast::Notify() {
  MutexLock lock(&state_->mutex);
  ++state_->ticket;
  for (const std::unique_ptr<State::Group>& group : state_->groups) {
    // Swap under the lock, because that costs the same for any number of waiters.
    if (group->due.empty()) {
      group->due.swap(group->waiting);
    } else {
      group->due.merge(group->waiting);
    }
    if (group->due.empty() || std::exchange(group->posted, true)) continue;
    asio::post(group->executor,
               [state = state_, executor = group->executor] { WakeSome(state, executor); });
  }
}

VoidTask Broadcast::Wait(std::array<Awaited, 2> awaited,
                         std::chrono::steady_clock::time_point deadline) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto waiter = std::make_shared<Waiter>(executor, deadline);
  // Removes the waiter however the wait ends.
  struct Cleanup {
    const std::array<Awaited, 2>& awaited;
    const std::shared_ptr<Waiter>& waiter;
    const asio::any_io_executor& executor;
    ~Cleanup() {
      for (const auto& [state, ticket] : awaited) {
        if (state != nullptr) state->Leave(waiter, executor);
      }
    }
  } cleanup{awaited, waiter, executor};
  for (const auto& [state, ticket] : awaited) {
    if (state == nullptr) continue;
    MutexLock lock(&state->mutex);
    if (state->ticket != ticket) co_return;
    state->Enter(waiter, executor);
  }
  while (!waiter->notified) {
    boost::system::error_code error;
    co_await waiter->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!error) co_return;
    if (!waiter->notified) throw boost::system::system_error(asio::error::operation_aborted);
  }
}

}  // namespace steward

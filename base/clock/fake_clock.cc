#include "base/clock/fake_clock.h"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward {
namespace asio = boost::asio;

namespace {
// A sleeping task, or an alarm. The timer never expires by itself: it is cancelled, on its own
// executor, to wake the task.
struct Sleeper {
  explicit Sleeper(const asio::any_io_executor& executor)
      : timer(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer timer;
  bool due = false;  // touched on the timer's executor only
  // set and used like `due`; null for a task, and once the alarm was cancelled
  std::function<void()> alarm;
};
}  // namespace

struct FakeClock::State {
  Mutex mutex;
  absl::Time now ABSL_GUARDED_BY(mutex);         // as if the wall clock were never set
  absl::Duration jumped ABSL_GUARDED_BY(mutex);  // the sum of all SetBy
  std::multimap<absl::Time, std::shared_ptr<Sleeper>> sleepers ABSL_GUARDED_BY(mutex);

  void Forget(const std::shared_ptr<Sleeper>& sleeper) ABSL_LOCKS_EXCLUDED(mutex) {
    MutexLock lock(&mutex);
    for (auto it = sleepers.begin(); it != sleepers.end(); ++it) {
      if (it->second == sleeper) {
        sleepers.erase(it);
        return;
      }
    }
  }
};

FakeClock::FakeClock(absl::Time start) : state_(std::make_shared<State>()) {
  MutexLock lock(&state_->mutex);
  state_->now = start;
}

FakeClock::~FakeClock() = default;

absl::Time FakeClock::Now() const {
  MutexLock lock(&state_->mutex);
  return state_->now + state_->jumped;
}

absl::Duration FakeClock::Monotonic() const {
  MutexLock lock(&state_->mutex);
  return state_->now - absl::UnixEpoch();
}

void FakeClock::SetBy(absl::Duration jump) {
  MutexLock lock(&state_->mutex);
  state_->jumped += jump;
}

VoidTask FakeClock::Sleep(absl::Duration duration) {
  auto state = state_;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  if (duration <= absl::ZeroDuration()) {
    co_await asio::post(executor, asio::use_awaitable);
    co_return;
  }
  auto sleeper = std::make_shared<Sleeper>(executor);
  {
    MutexLock lock(&state->mutex);
    state->sleepers.emplace(state->now + duration, sleeper);
  }
  // Removes the sleeper however the wait ends.
  struct Cleanup {
    State& state;
    const std::shared_ptr<Sleeper>& sleeper;
    ~Cleanup() { state.Forget(sleeper); }
  } cleanup{*state, sleeper};
  while (!sleeper->due) {
    boost::system::error_code error;
    co_await sleeper->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (!sleeper->due) throw boost::system::system_error(asio::error::operation_aborted);
  }
}

class FakeClock::FakeAlarm : public Clock::Alarm {
 public:
  FakeAlarm(std::shared_ptr<State> state, std::shared_ptr<Sleeper> sleeper)
      : state_(std::move(state)), sleeper_(std::move(sleeper)) {}
  ~FakeAlarm() override {
    sleeper_->alarm = nullptr;
    state_->Forget(sleeper_);
  }

 private:
  const std::shared_ptr<State> state_;
  const std::shared_ptr<Sleeper> sleeper_;
};

std::unique_ptr<Clock::Alarm> FakeClock::After(const asio::any_io_executor& executor,
                                               absl::Duration duration, std::function<void()> due) {
  auto sleeper = std::make_shared<Sleeper>(executor);
  sleeper->alarm = std::move(due);
  {
    MutexLock lock(&state_->mutex);
    state_->sleepers.emplace(state_->now + duration, sleeper);
  }
  if (duration <= absl::ZeroDuration()) Advance(absl::ZeroDuration());
  return std::make_unique<FakeAlarm>(state_, std::move(sleeper));
}

void FakeClock::Advance(absl::Duration duration) {
  // Posts under the lock. A sleeper needs the lock to leave, so each sleeper's executor exists
  // until the lock is released. The posted handler has the last reference to its sleeper, so that
  // the timer is destroyed on its own executor.
  MutexLock lock(&state_->mutex);
  state_->now += duration;
  while (!state_->sleepers.empty() && state_->sleepers.begin()->first <= state_->now) {
    auto node = state_->sleepers.extract(state_->sleepers.begin());
    const asio::any_io_executor executor = node.mapped()->timer.get_executor();
    asio::post(executor, [sleeper = std::move(node.mapped())] {
      sleeper->due = true;
      sleeper->timer.cancel();
      if (const std::function<void()> alarm = std::exchange(sleeper->alarm, nullptr)) alarm();
    });
  }
}

size_t FakeClock::sleepers() const {
  MutexLock lock(&state_->mutex);
  return state_->sleepers.size();
}

}  // namespace steward

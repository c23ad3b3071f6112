#include "base/clock/clock.h"

#include <time.h>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <random>
#include <utility>

#include "absl/time/clock.h"

namespace steward {
namespace asio = boost::asio;
namespace {

class RealAlarm : public Clock::Alarm {
 public:
  RealAlarm(const asio::any_io_executor& executor, absl::Duration duration,
            std::function<void()> due)
      : state_(std::make_shared<State>(executor, std::move(due))) {
    state_->timer.expires_after(absl::ToChronoNanoseconds(duration));
    state_->timer.async_wait([state = state_](const boost::system::error_code& error) {
      // An expired timer can no longer be cancelled, but its handler can be ignored.
      if (!error && state->armed) state->due();
    });
  }
  ~RealAlarm() override {
    state_->armed = false;
    state_->timer.cancel();
  }

 private:
  struct State {
    State(const asio::any_io_executor& executor, std::function<void()> function)
        : timer(executor), due(std::move(function)) {}
    asio::steady_timer timer;
    const std::function<void()> due;
    bool armed = true;
  };
  const std::shared_ptr<State> state_;
};

class RealClock : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }

  absl::Duration Monotonic() const override {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return absl::DurationFromTimespec(now);
  }

  VoidTask Sleep(absl::Duration duration) override {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_after(absl::ToChronoNanoseconds(duration));
    co_await timer.async_wait(asio::use_awaitable);
  }

  std::unique_ptr<Alarm> After(const asio::any_io_executor& executor, absl::Duration duration,
                               std::function<void()> due) override {
    return std::make_unique<RealAlarm>(executor, duration, std::move(due));
  }
};

class RealRandom : public Random {
 public:
  double Uniform() override {
    thread_local std::mt19937_64 engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  }
};

}  // namespace

Clock& Clock::Real() {
  static RealClock& clock = *new RealClock;
  return clock;
}

Random& Random::Real() {
  static RealRandom& random = *new RealRandom;
  return random;
}

}  // namespace steward

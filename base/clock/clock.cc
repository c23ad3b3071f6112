#include "base/clock/clock.h"

#include <time.h>

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <random>

#include "absl/time/clock.h"

namespace steward {
namespace asio = boost::asio;
namespace {

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

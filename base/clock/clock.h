// Time and randomness from outside, so that tests own both.
#ifndef BASE_CLOCK_CLOCK_H_
#define BASE_CLOCK_CLOCK_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "base/async/task.h"

namespace steward {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall clock.
  virtual absl::Time Now() const = 0;

  // Time since a moment before the process began, by a clock that nobody sets and that counts while
  // the machine is suspended too: for deadlines that must hold. Sleep may lag behind it.
  virtual absl::Duration Monotonic() const = 0;

  // Returns after `duration`, on the caller's executor. Cancellable.
  virtual VoidTask Sleep(absl::Duration duration) = 0;

  // Calls a function once, later, unless it is destroyed before. To be destroyed on its executor.
  class Alarm {
   public:
    virtual ~Alarm() = default;
  };
  // Calls `due` on `executor`, after `duration`.
  virtual std::unique_ptr<Alarm> After(const boost::asio::any_io_executor& executor,
                                       absl::Duration duration, std::function<void()> due) = 0;

  // The process's real clock; sleeps are measured by the steady clock.
  static Clock& Real();
};

// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;

  // Uniform in [0, 1).
  virtual double Uniform() = 0;

  static Random& Real();
};

}  // namespace steward

#endif  // BASE_CLOCK_CLOCK_H_

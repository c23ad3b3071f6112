// Time and randomness as interfaces, so that tests control both. Both are thread-safe.
#ifndef BASE_CLOCK_CLOCK_H_
#define BASE_CLOCK_CLOCK_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "base/async/task.h"

namespace steward {

class Clock {
 public:
  virtual ~Clock() = default;

  // Wall clock.
  virtual absl::Time Now() const = 0;

  // Time since a moment before the process began, by a clock that cannot be set and that also
  // counts while the machine is suspended: for deadlines that must hold. Sleep may take longer by
  // this clock, because it does not count a suspension.
  virtual absl::Duration Monotonic() const = 0;

  // Returns after `duration`, on the caller's executor. Cancellable.
  virtual VoidTask Sleep(absl::Duration duration) = 0;

  // A pending call of a function, which its destruction cancels. Must be destroyed on its executor.
  class Alarm {
   public:
    virtual ~Alarm() = default;
  };
  // Calls `due` once on `executor`, after `duration`, unless the alarm is destroyed before.
  virtual std::unique_ptr<Alarm> After(const boost::asio::any_io_executor& executor,
                                       absl::Duration duration, std::function<void()> due) = 0;

  // The process's real clock; sleeps are measured by the steady clock.
  static Clock& Real();
};

class Random {
 public:
  virtual ~Random() = default;

  // Uniform in [0, 1).
  virtual double Uniform() = 0;

  static Random& Real();
};

}  // namespace steward

#endif  // BASE_CLOCK_CLOCK_H_

// A clock for tests that moves only when told to. Thread-safe.
#ifndef BASE_CLOCK_FAKE_CLOCK_H_
#define BASE_CLOCK_FAKE_CLOCK_H_

#include <functional>
#include <memory>

#include "base/clock/clock.h"

namespace steward {

// Advance wakes sleepers and calls alarms, on their own executors, whose time has come; those of
// one call in the order of their due times.
class FakeClock : public Clock {
 public:
  explicit FakeClock(absl::Time start = absl::FromUnixSeconds(1'700'000'000));
  ~FakeClock() override;

  absl::Time Now() const override;
  absl::Duration Monotonic() const override;
  VoidTask Sleep(absl::Duration duration) override;
  std::unique_ptr<Alarm> After(const boost::asio::any_io_executor& executor,
                               absl::Duration duration, std::function<void()> due) override;

  void Advance(absl::Duration duration);
  // Sets the wall clock forward or back: only Now moves.
  void SetBy(absl::Duration jump);
  // The number of tasks asleep and alarms set now.
  size_t sleepers() const;

 private:
  struct State;
  class FakeAlarm;
  std::shared_ptr<State> state_;
};

// Always returns the same value.
class FixedRandom : public Random {
 public:
  explicit FixedRandom(double value) : value_(value) {}
  double Uniform() override { return value_; }

 private:
  double value_;
};

}  // namespace steward

#endif  // BASE_CLOCK_FAKE_CLOCK_H_

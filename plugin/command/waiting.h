// The wait for a state of the cluster, with its progress. Not thread-safe.
#ifndef PLUGIN_COMMAND_WAITING_H_
#define PLUGIN_COMMAND_WAITING_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// The time that a command waits unless --timeout is given.
inline constexpr absl::Duration kDefaultTimeout = absl::Minutes(30);

// A time limit for waiting, by the monotonic clock.
class Deadline {
 public:
  // `limit` zero = none. REQUIRES: `clock` outlives this object.
  Deadline(Clock& clock, absl::Duration limit)
      : clock_(clock),
        limit_(limit),
        end_(limit == absl::ZeroDuration() ? absl::InfiniteDuration() : clock.Monotonic() + limit) {
  }
  bool Passed() const { return clock_.Monotonic() >= end_; }
  absl::Duration limit() const { return limit_; }

 private:
  Clock& clock_;
  absl::Duration limit_;
  absl::Duration end_;
};

// The state that a command waits for.
class Awaited {
 public:
  virtual ~Awaited() = default;
  // Looks once; returns true when the state is reached. An error ends the wait. `waited` is the
  // time since its start.
  virtual Task<bool> IsDone(absl::Duration waited) = 0;
  // Shows the result of the last look.
  virtual void Show(absl::Duration waited) = 0;
  // The error when `limit` has passed, made from the result of the last look.
  virtual absl::Status OutOfTime(absl::Duration waited, absl::Duration limit) = 0;
};

// Looks every `pause` until the state is reached, a look fails, or the deadline has passed. Looks
// at least once.
//
// REQUIRES: the session and `awaited` outlive the task.
StatusTask WaitFor(Session& session, Awaited& awaited, Deadline deadline,
                   absl::Duration pause = absl::Seconds(1));

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_WAITING_H_

// The right of this process to write, at this moment. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_
#define CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::controllers {

// Checked right before each write, this fences a deposed leader: the answer depends only on this
// machine's monotonic clock and the last successful renewal, so it is right even where the process
// hung, was suspended, or cannot reach the cluster.
class Leadership {
 public:
  virtual ~Leadership() = default;

  // The time for which this process stays leader if no renewal succeeds any more; zero or less if
  // it is not leader. No other process can be leader until some margin later (renew deadline to
  // lease duration).
  virtual absl::Duration Remaining() const = 0;

  bool IsLive() const { return Remaining() > absl::ZeroDuration(); }
  // Returns kFailedPrecondition when the process is not leader.
  absl::Status Check() const;
};

// The leadership of a process that is the only one, and needs no election.
class AlwaysLeader : public Leadership {
 public:
  absl::Duration Remaining() const override { return absl::InfiniteDuration(); }
};

// Returns when the process is not leader, for whatever reason; if the leadership is prolonged
// meanwhile, the wait goes on. It may return late: it sleeps by a clock that stands still while the
// machine is suspended. So it can end work under way, but is no permission to send; that is the
// Check right before the bytes (kube::SendCheck). `leadership` and `clock` outlive the call.
VoidTask UntilLost(const Leadership& leadership, Clock& clock);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

// The right of this process to write, at this moment. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_
#define CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::controllers {

// A check right before each write fences a deposed leader. The answer depends only on this
// machine's monotonic clock and the last successful renewal. So it is right even if the process
// hung, was suspended, or cannot reach the cluster.
class Leadership {
 public:
  virtual ~Leadership() = default;

  // The time for which this process stays leader if no renewal succeeds any more; zero or less if
  // it is not leader. No other process can be leader until a margin later (lease duration minus
  // renew deadline).
  virtual absl::Duration Remaining() const = 0;

  bool IsLive() const { return Remaining() > absl::ZeroDuration(); }
  // Returns kFailedPrecondition when the process is not leader.
  absl::Status Check() const;
};

// The leadership of the only process, which needs no election.
class AlwaysLeader : public Leadership {
 public:
  absl::Duration Remaining() const override { return absl::InfiniteDuration(); }
};

// Returns when the process is not leader, for whatever reason; if the leadership is prolonged
// meanwhile, the wait goes on. May return late, because it sleeps by a clock that stands still
// while the machine is suspended. So use it to end work that is under way, but not as a permission
// to send: for that, call Check right before the bytes leave (kube::SendCheck). `leadership` and
// `clock` outlive the call.
VoidTask UntilLost(const Leadership& leadership, Clock& clock);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

// Whether this process may write, at this moment.
#ifndef CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_
#define CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::controllers {

// Asked right before each write, this is what fences a deposed leader: the answer depends on
// nothing but this machine's monotonic clock and the last renewal that succeeded, so it is right
// even where the process hung, was suspended, or cannot reach the cluster. Thread-safe.
class Leadership {
 public:
  virtual ~Leadership() = default;

  // How much longer this process is leader if no renewal succeeds any more; zero or less: it is
  // not. Nobody else can be leader until some margin later (renew deadline to lease duration).
  virtual absl::Duration Remaining() const = 0;

  bool IsLive() const { return Remaining() > absl::ZeroDuration(); }
  // kFailedPrecondition when it is not leader.
  absl::Status Check() const;
};

// For processes that are alone: without election.
class AlwaysLeader : public Leadership {
 public:
  absl::Duration Remaining() const override { return absl::InfiniteDuration(); }
};

// Returns when the process is not leader, however it came to that; a leadership that is prolonged
// meanwhile is waited for. It may return late: it sleeps by a clock that stands still while the
// machine is suspended. Thus it ends what is under way, but is no permission to send; Check at the
// bytes is (kube::SendCheck). `leadership` and `clock` outlive the call.
VoidTask UntilLost(const Leadership& leadership, Clock& clock);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_ELECTION_LEADERSHIP_H_

// Detection of threads that have stopped making progress. Thread-safe.
#ifndef BASE_CLOCK_HEARTBEATS_H_
#define BASE_CLOCK_HEARTBEATS_H_

#include <list>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

namespace steward {

class Heartbeats {
 public:
  // A thread that is silent for `limit` counts as stuck. REQUIRES: `clock` outlives this object.
  explicit Heartbeats(Clock& clock, absl::Duration limit = absl::Seconds(30))
      : clock_(clock), limit_(limit) {}

  // Beats once a second for the executor on which it runs, until it is cancelled. Silence counts
  // from its first step on. REQUIRES: this object outlives the task.
  VoidTask Beat(std::string name);

  // kUnavailable, with the names of the stuck threads, while there are any.
  absl::Status Check() const;

 private:
  struct Pulse {
    std::string name;
    absl::Duration last;  // monotonic
  };
  class Registered;

  Clock& clock_;
  const absl::Duration limit_;
  mutable Mutex mutex_;
  std::list<Pulse> pulses_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_CLOCK_HEARTBEATS_H_

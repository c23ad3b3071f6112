// Wraps a watch so that any thread can end it with a WatchBreaker.
#ifndef KUBE_TESTING_BREAKABLE_WATCH_H_
#define KUBE_TESTING_BREAKABLE_WATCH_H_

#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/sync/mutex.h"
#include "kube/client/client.h"
#include "kube/testing/wakeup.h"

namespace steward::kube {

// The handle for ending one watch. Thread-safe.
class WatchBreaker {
 public:
  // Makes the watch fail with `error`, or end cleanly for OK; a Next that waits ends at once. Only
  // the first call counts.
  void Break(absl::Status error);

 private:
  friend class BreakableWatch;

  // Returns the result set by Break; before that, registers `reader` (null = none) to be woken by
  // Break.
  std::optional<absl::Status> EndOrWake(std::shared_ptr<Wakeup> reader);

  Mutex mutex_;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Wakeup> reader_ ABSL_GUARDED_BY(mutex_);
};

// The wrapper. Not thread-safe, like any Watch.
class BreakableWatch : public Watch {
 public:
  BreakableWatch(std::unique_ptr<Watch> inner, std::shared_ptr<WatchBreaker> breaker);

  Task<std::optional<WatchEvent>> Next() override;

 private:
  std::unique_ptr<Watch> inner_;  // null: the watch is over; the same holds for `breaker_`
  std::shared_ptr<WatchBreaker> breaker_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_BREAKABLE_WATCH_H_

// The interface of a reconciler, which handles the keys of one controller. Lives on one executor.
#ifndef CONTROLLERS_RUNTIME_RECONCILER_H_
#define CONTROLLERS_RUNTIME_RECONCILER_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/runtime/queue/work_queue.h"

namespace steward::controllers {

struct ReconcileResult {
  ReconcileResult() {}

  // The key is done until something happens to it.
  static ReconcileResult Done() { return {}; }
  // The key is handled again after `delay`, whether something happened or not.
  static ReconcileResult After(absl::Duration delay) {
    ReconcileResult result;
    result.requeue_after = delay;
    return result;
  }

  // The key is handled again at once.
  static ReconcileResult Requeue() { return After(absl::ZeroDuration()); }

  std::optional<absl::Duration> requeue_after;
};

// Level-based: a reconciler decides by the key and the present state, never by an event. So it does
// not matter how often, or why, a key is handled.
//
// One reconciler lives for one term: it is made when this process became leader, and destroyed when
// it ceased to be leader, so that no memory of one term reaches into the next. All calls are made
// on one executor. Both tasks may be cancelled at any co_await.
class Reconciler {
 public:
  virtual ~Reconciler() = default;

  // Adds every existing key to `queue`, then each key whose objects change. Runs until cancelled.
  virtual VoidTask Feed(WorkQueue& queue) = 0;

  // Handles one key. Several keys are handled at a time, but no key twice. On an error the key
  // returns when the queue's rate limits allow, and not before the error's Retry-After.
  virtual Task<ReconcileResult> Reconcile(Key key) = 0;

  // True if the key is expected to take little time. Some workers take only such keys
  // (ControllerOptions::quick_workers).
  virtual bool IsQuick(const Key&) const { return false; }
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_RECONCILER_H_

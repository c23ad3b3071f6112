// What a controller does with a key.
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

  // Nothing is left to do until something happens to the key.
  static ReconcileResult Done() { return {}; }
  // Look again then, whether something happened or not.
  static ReconcileResult After(absl::Duration delay) {
    ReconcileResult result;
    result.requeue_after = delay;
    return result;
  }

  // Look again at once.
  static ReconcileResult Requeue() { return After(absl::ZeroDuration()); }

  std::optional<absl::Duration> requeue_after;
};

// Level-based: what to do follows from the key and from how things are now, never from what was
// told to have happened. So it does not matter how often, or why, a key is looked at.
//
// One reconciler lives for one term: it is made when this process became leader, and destroyed when
// it stopped being it, so that no memory of one term reaches into the next. All calls are made on
// one executor. Both tasks may be cancelled at any co_await.
class Reconciler {
 public:
  virtual ~Reconciler() = default;

  // Adds to `queue` every key there is, then each that something happened to. Runs until cancelled.
  virtual VoidTask Feed(WorkQueue& queue) = 0;

  // Several keys at a time, one key never twice at a time. On an error the key comes again as the
  // queue's rate limits say, and not before the error's Retry-After.
  virtual Task<ReconcileResult> Reconcile(Key key) = 0;

  // Whether a look at the key, as far as is known, takes little time: such keys have workers that
  // take no others (ControllerOptions).
  virtual bool IsQuick(const Key&) const { return false; }
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_RECONCILER_H_

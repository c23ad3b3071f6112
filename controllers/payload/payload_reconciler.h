// The reconciler "payload", which keeps a cluster as a release's payload says. Lives on one
// executor.
#ifndef CONTROLLERS_PAYLOAD_PAYLOAD_RECONCILER_H_
#define CONTROLLERS_PAYLOAD_PAYLOAD_RECONCILER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/payload/payload_metrics.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/rest_mapper.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "payload/record_store.h"

namespace steward::controllers {

// What the reconciler is told by its flags.
struct ReconciledPayload {
  std::string folder;
  payload::PayloadFlags flags;
  absl::Duration interval = absl::Minutes(3);  // from one complete pass to the next
};

// Two keys, never worked on at the same time: a pass over the payload, at the start, when the
// folder has changed and once in an interval; and a look at the removals that have not ended, every
// few seconds. What lasts is in the record alone.
//
//   faults ─► nothing is done until the folder changes
//   a precondition or a right is missing ─► nothing is begun; looked at again soon
//   else a PayloadPass ─► failures are tried again, later each time
class PayloadReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps` and `metrics` outlive this object.
  PayloadReconciler(const ReconcilerDeps& deps, PayloadMetrics& metrics,
                    const ReconciledPayload& given);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  Task<ReconcileResult> ReconcilePayload();
  Task<ReconcileResult> ReconcileRemovals();
  // False: the folder has just changed, and is read a moment later.
  absl::StatusOr<bool> ReadFolder();
  // What was found in a pass, as its result.
  absl::StatusOr<ReconcileResult> Conclude(const payload::PassResult& result);
  StatusTask Report();
  payload::PassDeps Deps() { return {deps_.client, mapper_, deps_.clock, record_}; }
  payload::PassObserver Observer();
  void Tell(EventType type, std::string_view reason, const std::string& text);
  // Tells the sentences, and logs each, unless they are those of the last time.
  void Refuse(std::string_view reason, const std::vector<std::string>& sentences);

  const ReconcilerDeps deps_;
  PayloadMetrics& metrics_;
  const ReconciledPayload given_;
  const payload::PayloadOptions options_;
  kube::RestMapper mapper_;
  payload::RecordStore record_;
  std::string seen_;  // the folder's mark at the last look
  std::string mark_;  // of what `release_` was read from
  std::optional<payload::Release> release_;
  bool rights_checked_ = false;  // for `release_`
  std::string told_;             // the last refusal
  std::string held_;             // the last sentence about removals
  size_t failures_ = 0;          // of the running pass, told so far
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_PAYLOAD_RECONCILER_H_

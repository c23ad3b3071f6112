// The reconciler "payload" keeps a cluster in the state that a release's payload describes. Lives
// on one executor.
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

// The settings that the reconciler gets from its flags.
struct ReconciledPayload {
  std::string folder;
  payload::PayloadFlags flags;
  absl::Duration interval = absl::Minutes(3);  // from one complete pass to the next
};

// There are two keys, which are never reconciled at the same time. One runs a pass over the
// payload: at the start, when the folder has changed, and once per interval. The other follows the
// removals that have not ended, every few seconds. All lasting state is in the record.
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
  // Reads the folder if it has changed. Returns false if it changed just now and must be read
  // later.
  absl::StatusOr<bool> ReadFolder();
  // Turns the result of a pass into reports and the reconciler's result.
  absl::StatusOr<ReconcileResult> Conclude(const payload::PassResult& result);
  StatusTask Report();
  payload::PassDeps Deps() { return {deps_.client, mapper_, deps_.clock, record_}; }
  payload::PassObserver Observer();
  void Tell(EventType type, std::string_view reason, const std::string& text);
  // Logs each sentence and sends Events, unless the sentences are the same as last time.
  void Refuse(std::string_view reason, const std::vector<std::string>& sentences);

  const ReconcilerDeps deps_;
  PayloadMetrics& metrics_;
  const ReconciledPayload given_;
  const payload::PayloadOptions options_;
  kube::RestMapper mapper_;
  payload::RecordStore record_;
  std::string seen_;  // the folder's mark at the last look
  std::string mark_;  // the mark of the folder as `release_` was read
  std::optional<payload::Release> release_;
  bool rights_checked_ = false;  // whether rights were checked for `release_`
  std::string told_;             // the last refusal
  std::string held_;             // the last sentence about removals
  size_t failures_ = 0;          // failures of the running pass that were reported so far
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_PAYLOAD_RECONCILER_H_

// The reconciler "cleanup", which deletes the operands of opted-in operators on uninstallation.
// Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_RECONCILER_H_
#define CONTROLLERS_CLEANUP_CLEANUP_RECONCILER_H_

#include <chrono>
#include <memory>
#include <set>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/deletion_witness.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct CleanupOptions {
  CleanerOptions cleaner;
  absl::Duration sweep_period = absl::Minutes(1);  // of held rights (R-000-73)
};

// Keys are ClusterServiceVersions that have one of cleanup's finalizers, and kSweepKey. The sweep
// releases holds that have no reason any more: at the start, every `sweep_period`, and soon after a
// change of an object that may be held. Such objects are watched only while some operator is opted
// in.
//
// `metrics` are shared by all terms, because a registry accepts each name only once.
class CleanupReconciler : public Reconciler {
 public:
  static const Key kSweepKey;

  // REQUIRES: the references in `deps`, and `metrics`, outlive this object.
  CleanupReconciler(const ReconcilerDeps& deps, CleanupMetrics& metrics, CleanupOptions options);
  ~CleanupReconciler() override;

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;
  // True for all work except the deletion of operands: sweeps, holds, aborts.
  bool IsQuick(const Key& key) const override;

 private:
  VoidTask FollowCopies();
  void NoteCsv(WorkQueue& queue, const Key& key);
  void WatchRights(WorkQueue& queue, bool wanted);

  const ReconcilerDeps deps_;
  CleanupMetrics& metrics_;
  const CleanupOptions options_;
  OperandWatches watches_;
  CopyIndex copies_;
  DeletionWitness witness_;
  Cleaner cleaner_;
  std::unique_ptr<MetadataWatch> csvs_;
  std::vector<std::unique_ptr<MetadataWatch>> rights_;
  std::set<Key> opted_in_;
  bool listing_ = false;  // the reported changes come from a list
  // Until this time, passes wait until all copies are known, instead of reporting Unknown.
  std::chrono::steady_clock::time_point copies_deadline_;
  WorkQueue* queue_ = nullptr;  // set by Feed, before it adds the first key
};

// Several cleanups run in parallel. Quick workers hold rights, sweep and abort meanwhile, however
// slow the cleanups are.
ControllerOptions CleanupControllerOptions();

// The ClusterServiceVersions of the newest World that are no copies (KnownCsvs).
KnownCsvs CsvsOf(storage::WorldStore& worlds, const olm::CsvTerms& terms = {});

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_RECONCILER_H_

// The reconciler "cleanup", which deletes operators' operands on uninstall where there is an
// opt-in. Lives on one executor.
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

// Keys are ClusterServiceVersions that have one of the finalizers, and kSweepKey, which releases
// holds without a reason: at the start, each `sweep_period`, and soon after a change of an object
// that may be held. Such objects are watched only while some operator is opted in.
//
// `metrics` are made once for all terms, as a registry accepts each name once.
class CleanupReconciler : public Reconciler {
 public:
  static const Key kSweepKey;

  // REQUIRES: the references in `deps`, and `metrics`, outlive this object.
  CleanupReconciler(const ReconcilerDeps& deps, CleanupMetrics& metrics, CleanupOptions options);
  ~CleanupReconciler() override;

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;
  // True for all work but the deletion of operands: sweeps, holds, aborts.
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
  bool listing_ = false;  // the changes that are told come of a list
  // Until this time passes wait for the copies to be known, instead of reporting that nothing can
  // be decided.
  std::chrono::steady_clock::time_point copies_deadline_;
  WorkQueue* queue_ = nullptr;  // set by Feed, which adds the first key
};

// Several cleanups run at a time. However slow they are, rights are held, sweeps made and cleanups
// aborted meanwhile.
ControllerOptions CleanupControllerOptions();

// The ClusterServiceVersions of the newest World that are no copies (KnownCsvs).
KnownCsvs CsvsOf(storage::WorldStore& worlds, const olm::CsvTerms& terms = {});

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_RECONCILER_H_

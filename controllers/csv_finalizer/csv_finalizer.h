// The reconciler that lets go of OLM's own finalizer where no olm-operator does. Lives on one
// executor.
#ifndef CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_
#define CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_

#include <cstddef>
#include <memory>

#include "base/async/task.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// olm-operator puts the finalizer operators.coreos.com/csv-cleanup on each ClusterServiceVersion.
// Where it does not run any more (a takeover), a deleted one would stay for ever. So, as it would:
//
//   not being deleted, or without the finalizer ─► nothing
//   opted in to cleanup (its finalizer is there) ─► nothing yet: operands go before rights
//   else: ClusterRoleBindings, ClusterRoles, webhook configurations and APIServices that bear the
//   operator's owner labels are deleted, in this order; once all of them are gone, the finalizer is
//
// Copies are not looked at.
class CsvFinalizer : public Reconciler {
 public:
  // REQUIRES: the references in `deps` outlive this object.
  explicit CsvFinalizer(const ReconcilerDeps& deps) : deps_(deps) {}

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  // Deletes the operator's objects of a kind; returns how many there were.
  Task<size_t> DeleteOwned(kube::GroupVersionResource gvr, kube::NamespacedName csv);

  const ReconcilerDeps deps_;
  std::unique_ptr<MetadataWatch> csvs_;
};

// The reconciler "csv-finalizer" of the family "operators", without flags. Conflicts with
// olm-operator.
KnownReconciler KnownCsvFinalizer();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_

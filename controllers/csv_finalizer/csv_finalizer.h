// The reconciler that puts OLM's own finalizer on ClusterServiceVersions and removes it, in
// clusters without olm-operator. Lives on one executor.
#ifndef CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_
#define CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "bundle/finalized_objects.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// olm-operator puts the finalizer operators.coreos.com/csv-cleanup on each ClusterServiceVersion,
// and removes it once it has deleted the operator's cluster-scoped objects, which cannot have an
// owner reference to a namespaced object. Without olm-operator, the cluster-scoped rights of an
// InstallPlan would stay for ever, and after a takeover a deleted ClusterServiceVersion would stay,
// too. So this class does the same:
//
//   without the finalizer, made by an executor of plans (label olm.managed) ─► it is put on
//   not being deleted ─► nothing else
//   opted in to cleanup (its finalizer is there) ─► nothing yet: operands go before rights
//   else: ClusterRoleBindings, ClusterRoles, webhook configurations, APIServices, PriorityClasses
//   and objects of the console that bear the operator's owner labels are deleted, in this order;
//   once all of them are gone, the finalizer is
//
// An object that was installed with several operators (annotation
// operatorframework.io/installed-alongside-…) stays until the last of them is deleted. Copies are
// ignored.
class CsvFinalizer : public Reconciler {
 public:
  // REQUIRES: the references in `deps` outlive this object.
  explicit CsvFinalizer(const ReconcilerDeps& deps) : deps_(deps) {}

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  StatusTask SetFinalizers(Key csv, std::string resource_version,
                           std::vector<std::string> finalizers);
  // Deletes those of `objects` that need not stay; returns their number.
  Task<size_t> DeleteThese(kube::GroupVersionResource gvr,
                           std::vector<bundle::FinalizedObject> objects);

  const ReconcilerDeps deps_;
  std::unique_ptr<MetadataWatch> csvs_;
  std::unique_ptr<MetadataWatch> managed_;
};

// The reconciler "csv-finalizer" of the family "operators", without flags. Conflicts with
// olm-operator.
KnownReconciler KnownCsvFinalizer();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CSV_FINALIZER_CSV_FINALIZER_H_

// The reconciler "operators", which keeps an Operator for each ClusterServiceVersion and each
// Subscription. Lives on one executor.
#ifndef CONTROLLERS_OPERATOR_OPERATOR_RECONCILER_H_
#define CONTROLLERS_OPERATOR_OPERATOR_RECONCILER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "controllers/operator/adoption.h"
#include "controllers/operator/component_index.h"
#include "controllers/operator/operator_flags.h"
#include "controllers/operator/operator_metrics.h"
#include "controllers/operator/operator_writer.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/names.h"
#include "storage/operators/touched_operators.h"
#include "storage/world/world.h"

namespace steward::controllers {

// A key is an Operator ("", name), a ClusterServiceVersion (namespace, name) or a namespace
// (namespace, ""). Labels decide what belongs to an Operator. For a ClusterServiceVersion or a
// namespace, Adoption writes these labels. For an Operator, OperatorWriter shows the objects that
// have its label.
//
// Watches only the metadata of objects, and most kinds only once there is an operator, or a
// definition that an operator left behind. Does nothing until each watched kind has been listed: a
// failed list does not mean that there are no objects. Sends no requests while nothing changes.
class OperatorReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps` and `metrics` outlive this object.
  OperatorReconciler(const ReconcilerDeps& deps, OperatorMetrics& metrics,
                     const OperatorFlags& flags);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  VoidTask Follow(size_t kind);
  void TakeWorld(const storage::World& world, const storage::TouchedOperators* touched);
  void TakeCsv(const storage::World& world, const kube::NamespacedName& name);
  void OnChange(const ComponentId& id, const olm::Component* before, const olm::Component* after);
  // Records an Event when an object begins to have more component labels than
  // olm::kMaxOperatorsOfOne.
  void ReportTooManyOperators(const ComponentId& id, const olm::Component* before,
                              const olm::Component* after);
  void AddKeysOf(const ComponentId& id, const olm::Component& component);
  // Adds every key once all watched kinds have been listed.
  void OnListed();
  // OK, or kUnavailable with the kind that has not been listed.
  absl::Status Listed() const;

  const ReconcilerDeps deps_;
  ComponentIndex index_;
  Adoption adoption_;
  OperatorWriter writer_;
  WorkQueue* queue_ = nullptr;
  bool needed_ = false;  // there is an operator
  Broadcast needs_;
  bool world_taken_ = false;
  bool feeding_ = false;  // all watched kinds have been listed, and their keys were added
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_RECONCILER_H_

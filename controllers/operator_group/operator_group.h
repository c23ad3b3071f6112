// The reconciler that reports, as OLM does, the namespaces that OperatorGroups target, for clusters
// without OLM. Lives on one executor.
#ifndef CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_
#define CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// Keeps status.namespaces (sorted; [""] for all; absent for none) and status.lastUpdated of each
// OperatorGroup as OLM would, from its spec and the World's namespaces; the rest of its status
// stays. Writes nothing if the namespaces differ only in their order, or if the group's spec is
// invalid.
//
// There is one key for all groups. It is queued whenever a World shows that a group or the
// namespaces changed, at most ten times a second. A group that changes meanwhile (409) is handled
// again with the next World; any other failure is a failure of the key.
class OperatorGroupReconciler : public Reconciler {
 public:
  // REQUIRES: the arguments outlive this object.
  OperatorGroupReconciler(kube::Client& client, Clock& clock, storage::WorldStore& worlds)
      : client_(client), clock_(clock), worlds_(worlds) {}

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  StatusTask ReconcileOne(const kube::RawObject& raw);

  kube::Client& client_;
  Clock& clock_;
  storage::WorldStore& worlds_;
};

// The reconciler "operator-groups", without flags. Failures are retried from one second on.
KnownReconciler KnownOperatorGroups();

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

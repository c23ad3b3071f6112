// OLM's smallest duty, for clusters without OLM: OperatorGroups say in their status which
// namespaces they target.
#ifndef CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_
#define CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// Keeps status.namespaces (sorted; [""] for all; absent for none) and status.lastUpdated of each
// OperatorGroup as OLM would, from its spec and the World's namespaces; what else its status holds
// stays. Namespaces that are the same in another order are left alone, and so is a group whose spec
// is invalid.
//
// There is one key, which stands for all groups: it is fed whenever a World shows that one of them,
// or the namespaces, changed, ten times a second at most. A group that changes meanwhile (409) is
// met again in the next World; other failures are the key's.
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

// Retries of failures: from one second on.
ControllerOptions OperatorGroupOptions();

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

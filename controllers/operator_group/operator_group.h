// OLM's smallest duty, for clusters without OLM: OperatorGroups say in their status which
// namespaces they target.
#ifndef CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_
#define CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// Keeps status.namespaces (sorted; [""] for all; absent for none) and status.lastUpdated of each
// OperatorGroup as OLM would, from its spec and the World's namespaces; what else its status holds
// stays. Namespaces that are the same in another order are left alone, and so is a group whose spec
// is invalid.
//
// Looks at all groups whenever a World shows that one of them, or the namespaces, changed, ten
// times a second at most. A group that changes meanwhile (409) is met again in the next World;
// other failures are logged and tried again a second later.
//
// Not thread-safe: Run is called once.
class OperatorGroupReconciler {
 public:
  // REQUIRES: the arguments outlive Run.
  OperatorGroupReconciler(kube::Client& client, Clock& clock, storage::WorldStore& worlds)
      : client_(client), clock_(clock), worlds_(worlds) {}

  // Runs until cancelled.
  VoidTask Run();

 private:
  StatusTask ReconcileAll();
  StatusTask Reconcile(const kube::RawObject& raw);

  kube::Client& client_;
  Clock& clock_;
  storage::WorldStore& worlds_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_GROUP_OPERATOR_GROUP_H_

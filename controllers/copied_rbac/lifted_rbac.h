// The ClusterRoles and ClusterRoleBindings of operators that work in all namespaces. Live on one
// executor.
#ifndef CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_
#define CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_

#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "controllers/copied_rbac/rbac_writer.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/copied_rbac/rbac_copy.h"

namespace steward::controllers {

// One object to be made, or to be deleted.
struct LiftedWrite {
  kube::GroupVersionResource gvr;
  kube::NamespacedName csv;  // the operator; empty = unknown
  std::string name;
  boost::json::value object;            // null: delete
  const olm::RbacPair* pair = nullptr;  // of an object to create: the pair that it is made from
  std::string uid;                      // of an object to delete
  std::string resource_version;
};

struct LiftedPlan {
  // Bindings are deleted before the roles that they bind, and created after them.
  std::vector<LiftedWrite> writes;
  // Some object must be gone first: look again.
  bool waits = false;
};

// If the OperatorGroup is for all namespaces, the Role and the RoleBinding of an operator's
// permissions are lifted into the cluster, as OLM does: a ClusterRole and a ClusterRoleBinding of
// the same name with the owner labels, for the same ServiceAccounts, and with the right to read
// namespaces. They have a label of Steward's own that no bundle can write. Other objects of such
// names are neither bound, changed nor deleted. An object is never updated, but deleted and created
// again, so that nobody who is bound to a ClusterRole gets more rights by an update.
//
// Returns the writes that bring the objects lifted from the namespace `source` to their wanted
// state: those of `pairs` if `lift` (its operators work everywhere), else none. If `lift`, objects
// with the names `left` stay as they are. REQUIRES: the arguments outlive the call, and `pairs`
// outlives the plan.
Task<LiftedPlan> PlanLifted(kube::Client& client, const std::string& source,
                            const std::vector<olm::RbacPair>& pairs, bool lift,
                            const std::set<std::string>& left);

// Returns the deletions of objects that were lifted for operators that do not exist any more.
Task<std::vector<LiftedWrite>> OrphanedLifted(kube::Client& client);

// Sends one write. kForeignRole: an object that was not lifted for the operator has the name, or
// has the name of the ClusterRole to bind; then nothing is written. kNotObeyed: something changed
// the object on the way. REQUIRES: `write` outlives the call.
Task<PutResult> WriteLifted(kube::Client& client, const LiftedWrite& write,
                            kube::SendCheck may_send);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_

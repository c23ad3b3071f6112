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
  kube::NamespacedName csv;  // the operator; empty = nobody knows
  std::string name;
  boost::json::value object;            // null: it is deleted
  const olm::RbacPair* pair = nullptr;  // of one to be made: what it is made of
  std::string uid;                      // of one to be deleted
  std::string resource_version;
};

struct LiftedPlan {
  // Bindings go before the roles that they bind, and come after them.
  std::vector<LiftedWrite> writes;
  // Something has to go first: look again.
  bool waits = false;
};

// If the OperatorGroup is for all namespaces, the Role and the RoleBinding of an operator's
// permissions are lifted into the cluster, as OLM does: a ClusterRole and a ClusterRoleBinding of
// the same name with the owner labels, for the same ServiceAccounts, and with the right to read
// namespaces. Steward's own label, which no bundle can write, marks them: other objects of such
// names are neither bound, changed nor deleted. Content is never changed but deleted and made anew,
// so that nobody who is bound to a ClusterRole gets more by that.
//
// Returns the writes after which the objects lifted from the namespace `source` are those of
// `pairs` if `lift` (its operators work everywhere), and else none. If `lift`, objects of the names
// `left` stay as they are. REQUIRES: the arguments outlive the call, and `pairs` the plan.
Task<LiftedPlan> PlanLifted(kube::Client& client, const std::string& source,
                            const std::vector<olm::RbacPair>& pairs, bool lift,
                            const std::set<std::string>& left);

// The deletions of what was lifted for operators that are not there any more.
Task<std::vector<LiftedWrite>> OrphanedLifted(kube::Client& client);

// Sends one. kForeignRole: an object that was not lifted for the operator has the name, or is what
// would be bound; then nothing is written. kNotObeyed: something has changed it on the way.
// REQUIRES: `write` outlives the call.
Task<PutResult> WriteLifted(kube::Client& client, const LiftedWrite& write,
                            kube::SendCheck may_send);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_

// The ClusterRoles and ClusterRoleBindings of operators that work in all namespaces. Live on one
// executor.
#ifndef CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_
#define CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/copied_rbac/rbac_copy.h"

namespace steward::controllers {

// One object to be made, or to be deleted.
struct LiftedWrite {
  kube::GroupVersionResource gvr;
  kube::NamespacedName csv;  // the operator
  std::string name;
  boost::json::value object;  // null: it is deleted
  std::string uid;            // of one to be deleted
  std::string resource_version;
};

// Where the OperatorGroup is one for all namespaces, the Role and the RoleBinding of an operator's
// permissions are lifted into the cluster, as OLM does: a ClusterRole and a ClusterRoleBinding of
// the same name with the labels of the original, for the same ServiceAccounts, and with the right
// to read namespaces. They are made where they are absent, and never changed: so nobody who is
// bound to one gets more by that. Where the group names namespaces, or is gone, they are deleted.
// When the operator goes, they go by their owner labels (csv_finalizer).
//
// The writes that are missing. A role comes before the binding to it, and goes after it. `lift`:
// whether the operators of `pairs`, all in the namespace `source`, work everywhere. REQUIRES: the
// arguments outlive the call.
Task<std::vector<LiftedWrite>> MissingLifted(kube::Client& client, const std::string& source,
                                             const std::vector<olm::RbacPair>& pairs, bool lift);

// Sends one. False: an object that is not the operator's has the name, and stays as it is.
// REQUIRES: `write` outlives the call.
Task<bool> WriteLifted(kube::Client& client, const LiftedWrite& write, kube::SendCheck may_send);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_LIFTED_RBAC_H_

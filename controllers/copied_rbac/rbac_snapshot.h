// What decides about the copies of Roles and RoleBindings from one namespace, read live. A value.
#ifndef CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_
#define CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {

using StoredCopies = std::map<kube::NamespacedName, olm::StoredRbac>;

struct RbacSnapshot {
  std::string source;
  absl::Duration read_at;  // monotonic; before anything that decides was read
  StoredCopies roles;      // the copies, in whatever namespace
  StoredCopies bindings;
  // The pairs of the operators that are there: neither copies, nor being deleted, unless they wait
  // for cleanup, which needs their rights.
  std::vector<olm::RbacPair> pairs;
  std::map<std::string, std::string> csv_uids;   // of the originals, by name
  std::map<std::string, std::string> operators;  // by the original's name: its Operator
  std::map<std::string, std::string> operator_uids;
  std::map<kube::NamespacedName, std::string> copied_csvs;  // UIDs of those not being deleted
  std::vector<olm::OperatorGroupPtr> groups;

  // True when the operators work in the namespace, by the one group that is there.
  bool Targets(std::string_view ns, const kube::LabelMap& labels) const;
  // True when the group names or selects namespaces: only then is anything copied.
  bool IsExplicit() const;
  bool SelectsByLabel() const;
  // True when the one group is for all namespaces.
  bool IsForAll() const;
  // True when nobody knows whether they work in a namespace: there are several groups, or an
  // invalid one; and when they work everywhere. Then copies that are there stay as they are.
  bool LeavesAll() const;
  olm::CopyOwners OwnersIn(const std::string& csv, const std::string& ns) const;
};

// Everything is a complete live list; any error is the result. The copies are read first: what
// decides about them is newer. Of copies that no pair wants, and of very large ones, the content is
// not held.
Task<RbacSnapshot> ReadRbacSnapshot(kube::Client& client, Clock& clock, std::string source);

// Those of the namespaces in which the operators work as a live list tells, or that are gone: a
// copy that is still there goes with its namespace. REQUIRES: `seen` outlives the task.
Task<std::set<std::string>> ReadTargets(kube::Client& client, const RbacSnapshot& seen,
                                        std::set<std::string> namespaces);

// The Roles of pairs, by namespace and name, that RoleBindings in these namespaces give to somebody
// whom the pair does not name, whatever the binding's name and labels. REQUIRES: `seen` outlives
// the task.
Task<std::set<kube::NamespacedName>> ReadForeignlyBound(kube::Client& client,
                                                        const RbacSnapshot& seen,
                                                        std::set<std::string> namespaces);

// The copies from namespaces in which neither `world` nor a live list knows an operator; without
// content.
Task<std::vector<olm::StoredRbac>> ReadOrphans(kube::Client& client,
                                               storage::OperatorWorldPtr world);

// True when the namespace has an operator: a ClusterServiceVersion that is no copy.
bool HasOperators(const storage::OperatorWorld& world, const std::string& ns);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_

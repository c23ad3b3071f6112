// The facts that decide about the copies of Roles and RoleBindings from one namespace, read live. A
// value.
#ifndef CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_
#define CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
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
  StoredCopies roles;      // the copies, in whatever namespace; without content
  StoredCopies bindings;
  // The pairs of the operators that are there: neither copies, nor being deleted, unless they wait
  // for cleanup, which needs their rights.
  std::vector<olm::RbacPair> pairs;
  // The names of originals that exist and could not be read now. Their copies stay as they are.
  std::set<std::string> unread;
  absl::Status unread_reason;  // the first
  // The names of originals that are too large to be copied, each with its ClusterServiceVersion.
  // They grant nothing.
  std::map<std::string, std::string> too_large;
  std::map<std::string, std::string> csv_uids;   // of the originals, by name
  std::map<std::string, std::string> operators;  // by the original's name: its Operator
  std::map<std::string, std::string> operator_uids;
  std::map<kube::NamespacedName, std::string> copied_csvs;  // UIDs of those not being deleted
  std::vector<olm::OperatorGroupPtr> groups;  // two at most: of several it is known that there are

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

// Everything is a complete live list; any error is the result, but for the content of an original.
// The copies are read first, so the facts that decide about them are newer.
//
//   copies: metadata ──► originals: metadata ──► content of those that a ClusterServiceVersion that
//   is there owns, Role and RoleBinding, one after the other, each up to a bound
//
// So large objects with OLM's labels take no memory, and keep nothing from being removed: metadata
// decides what has to go.
Task<RbacSnapshot> ReadRbacSnapshot(kube::Client& client, Clock& clock, std::string source);

// Calls `visit` with each copy from `source`, with its content: one page is held at a time. Copies
// that are too large to be right are left out. REQUIRES: `client` outlives the task.
StatusTask VisitCopies(kube::Client& client, olm::RbacKind kind, std::string source,
                       std::function<void(const olm::StoredRbac& copy)> visit);

// Returns those `namespaces` that a live list shows as targets of the operators, or that are gone:
// a copy that still exists goes with its namespace. REQUIRES: `seen` outlives the task.
Task<std::set<std::string>> ReadTargets(kube::Client& client, const RbacSnapshot& seen,
                                        std::set<std::string> namespaces);

// The Roles of pairs, by namespace and name, that RoleBindings in these namespaces give to somebody
// whom the pair does not name, whatever the binding's name and labels. REQUIRES: `seen` outlives
// the task.
Task<std::set<kube::NamespacedName>> ReadForeignlyBound(kube::Client& client,
                                                        const RbacSnapshot& seen,
                                                        std::set<std::string> namespaces);

// The Roles of `copies` (each with its source) that a RoleBinding of the same namespace gives to
// somebody else than ServiceAccounts of the source, or that a RoleBinding names which is no copy,
// by source. Whether they may have it is for ReadForeignlyBound to say. REQUIRES: the arguments
// outlive the task.
using BoundRoles = std::map<std::string, std::set<kube::NamespacedName>>;
Task<BoundRoles> ReadBoundBeside(kube::Client& client,
                                 const std::map<kube::NamespacedName, std::string>& copies);

// The copies from namespaces in which neither `world` nor a live list knows an operator; without
// content.
Task<std::vector<olm::StoredRbac>> ReadOrphans(kube::Client& client,
                                               storage::OperatorWorldPtr world);

// True when the namespace has an operator: a ClusterServiceVersion that is no copy.
bool HasOperators(const storage::OperatorWorld& world, const std::string& ns);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_

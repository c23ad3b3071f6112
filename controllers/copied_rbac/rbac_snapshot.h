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
  absl::Duration read_at;  // monotonic; before the first read of deciding facts
  StoredCopies roles;      // the copies, in all namespaces; without content
  StoredCopies bindings;
  // The pairs of existing operators that are not copies. Operators that are being deleted count
  // only while they wait for cleanup, because it needs their rights.
  std::vector<olm::RbacPair> pairs;
  // The names of originals that exist but could not be read. Their copies stay as they are.
  std::set<std::string> unread;
  absl::Status unread_reason;  // the first
  // By the name of an original that is too large to be copied: its ClusterServiceVersion. Its
  // copies grant nothing.
  std::map<std::string, std::string> too_large;
  std::map<std::string, std::string> csv_uids;   // of the originals, by name
  std::map<std::string, std::string> operators;  // by the original's name: its Operator
  std::map<std::string, std::string> operator_uids;
  std::map<kube::NamespacedName, std::string> copied_csvs;  // UIDs of those not being deleted
  std::vector<olm::OperatorGroupPtr> groups;  // at most two, which shows that there are several

  // True when the operators work in the namespace, by the only group.
  bool Targets(std::string_view ns, const kube::LabelMap& labels) const;
  // True when the only group names or selects namespaces. Only then are Roles copied.
  bool IsExplicit() const;
  bool SelectsByLabel() const;
  // True when the only group is for all namespaces.
  bool IsForAll() const;
  // True when existing copies stay as they are: the targets are unknown (several groups, or an
  // invalid one), or the operators work in all namespaces.
  bool LeavesAll() const;
  olm::CopyOwners OwnersIn(const std::string& csv, const std::string& ns) const;
};

// Reads complete live lists. Any error fails the call, except an error of the content of an
// original. Reads the copies first, so the facts that decide about them are newer.
//
//   copies: metadata ──► originals: metadata ──► content of those that a ClusterServiceVersion that
//   is there owns, Role and RoleBinding, one after the other, each up to a bound
//
// So large objects with OLM's labels take no memory, and prevent no removal, because metadata alone
// decides about removals.
Task<RbacSnapshot> ReadRbacSnapshot(kube::Client& client, Clock& clock, std::string source);

// Calls `visit` with each copy from `source` and its content. Holds one page at a time. Skips
// copies that are too large to be right. REQUIRES: `client` outlives the task.
StatusTask VisitCopies(kube::Client& client, olm::RbacKind kind, std::string source,
                       std::function<void(const olm::StoredRbac& copy)> visit);

// Returns those of `namespaces` that a live list shows as targets of the operators, or that are
// gone. (A copy in a namespace that is gone goes with the namespace.) REQUIRES: `seen` outlives the
// task.
Task<std::set<std::string>> ReadTargets(kube::Client& client, const RbacSnapshot& seen,
                                        std::set<std::string> namespaces);

// Returns the copied Roles of pairs that some RoleBinding in `namespaces` gives to a subject that
// the pair does not name, whatever the binding's name and labels. REQUIRES: `seen` outlives the
// task.
Task<std::set<kube::NamespacedName>> ReadForeignlyBound(kube::Client& client,
                                                        const RbacSnapshot& seen,
                                                        std::set<std::string> namespaces);

// Returns, by source, the Roles of `copies` (copied Role to its source) that a RoleBinding of the
// same namespace gives to subjects other than ServiceAccounts of the source, or that a RoleBinding
// names which is not the Role's own copied one. ReadForeignlyBound decides whether those subjects
// may have it. REQUIRES: the arguments outlive the task.
using BoundRoles = std::map<std::string, std::set<kube::NamespacedName>>;
Task<BoundRoles> ReadBoundBeside(kube::Client& client,
                                 const std::map<kube::NamespacedName, std::string>& copies);

// Returns the copies whose source has no operator in `world` nor in a live list; without content.
Task<std::vector<olm::StoredRbac>> ReadOrphans(kube::Client& client,
                                               storage::OperatorWorldPtr world);

// True when the namespace has an operator: a ClusterServiceVersion that is not a copy.
bool HasOperators(const storage::OperatorWorld& world, const std::string& ns);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_RBAC_SNAPSHOT_H_

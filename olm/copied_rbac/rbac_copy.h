// The copies of an operator's Roles and RoleBindings in the namespaces that it works in (R-004-16).
// Pure functions.
#ifndef OLM_COPIED_RBAC_RBAC_COPY_H_
#define OLM_COPIED_RBAC_RBAC_COPY_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/copied_rbac/policy_rule.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/object_facts.h"

namespace steward::olm {

// A Role and the RoleBinding of the same name. They are copied together or not at all, because
// without the binding nobody knows whom the rules are for.
struct RbacPair {
  std::string name;
  kube::NamespacedName csv;
  kube::LabelMap role_labels;     // of the original
  kube::LabelMap binding_labels;  // likewise
  PolicyRules rules;
  std::vector<Subject> subjects;
};

// True when the object bears the owner labels of `source`, names it as an owner by its UID, and is
// not being deleted. Needs only the metadata of both.
bool IsMadeFor(const StoredRbac& stored, const ObjectFacts& source);

// The pairs to copy for an original. Both objects pass IsMadeFor, and the binding binds the Role of
// its own name. A pair has only what the original asks for in spec.install.spec.permissions:
// ServiceAccounts of its namespace, and the rules that it asks for on behalf of each of these
// accounts. `roles` and `bindings` lie in its namespace. Empty if `source` is a copy.
std::vector<RbacPair> PairsOf(const RbacSource& source, const std::vector<StoredRbac>& roles,
                              const std::vector<StoredRbac>& bindings);

// The owners of the copies in one namespace: the copied ClusterServiceVersion and the Operator. An
// empty UID means that this owner does not exist.
struct CopyOwners {
  std::string csv;  // its name
  std::string csv_uid;
  std::string operator_name;
  std::string operator_uid;

  std::vector<OwnerReference> References() const;
};

// One object as it shall be in the namespace `key.ns`.
struct WantedRbac {
  RbacKind kind = RbacKind::kRole;
  kube::NamespacedName key;
  kube::LabelMap labels;
  std::vector<OwnerReference> owners;
  PolicyRules rules;              // of a Role
  std::vector<Subject> subjects;  // of a RoleBinding

  boost::json::value ToJson() const;
};
WantedRbac CopyOf(const RbacPair& pair, RbacKind kind, std::string_view ns,
                  const CopyOwners& owners);

// True when the object has the labels of a copy from the namespace `source`, made by OLM, by
// Steward, or by somebody who set the same labels. Any other object belongs to somebody else,
// whatever its name.
bool IsCopyFrom(const StoredRbac& stored, std::string_view source);

// The rule that locks a Role. No account holds it, and Kubernetes refuses a binding to a Role that
// grants more than the user holds. So only users who may bind any Role can bind a locked one.
const PolicyRule& LockRule();
// The Role to write while it is unknown who is bound to it: of the rules of `role`, only those that
// `granted` has already, and the lock.
WantedRbac Locked(const WantedRbac& role, const PolicyRules& granted);

enum class Difference {
  kNone,
  kUpdate,   // its content differs
  kReplace,  // the roleRef of a binding differs, which cannot be changed
};
// REQUIRES: equal kind and name. Ignores labels and annotations besides those of `wanted`, except
// kUnwantedSinceAnnotation, which is a difference. So is `stored` without content (has_content).
Difference Compare(const StoredRbac& stored, const WantedRbac& wanted);
// `stored` with the content of `wanted`.
boost::json::value Updated(boost::json::object stored, const WantedRbac& wanted);
// The stored object with empty rules or subjects, so that it grants nothing. REQUIRES:
// stored.object is not empty.
boost::json::value Emptied(const StoredRbac& stored);
bool GrantsNothing(const StoredRbac& stored);

}  // namespace steward::olm

#endif  // OLM_COPIED_RBAC_RBAC_COPY_H_

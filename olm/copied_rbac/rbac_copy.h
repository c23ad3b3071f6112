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

// A Role and the RoleBinding of the same name, which are copied together or not at all: without the
// binding it is not known whom the rules are for.
struct RbacPair {
  std::string name;
  kube::NamespacedName csv;
  kube::LabelMap role_labels;     // of the original
  kube::LabelMap binding_labels;  // likewise
  PolicyRules rules;
  std::vector<Subject> subjects;
};

// True when the object bears the owner labels of `source`, names it as an owner by its UID, and is
// not being deleted. Metadata suffices, of both.
bool IsMadeFor(const StoredRbac& stored, const ObjectFacts& source);

// The pairs of an original that are to be copied: those that bear its owner labels, name it as an
// owner by its UID, are not being deleted, and bind the Role of the binding's own name. Of their
// content only what the original asks for in spec.install.spec.permissions: ServiceAccounts of its
// namespace, and of the rules what it asks for each of these accounts. `roles` and `bindings` lie
// in its namespace. Nothing of a copy.
std::vector<RbacPair> PairsOf(const RbacSource& source, const std::vector<StoredRbac>& roles,
                              const std::vector<StoredRbac>& bindings);

// The owners of the copies in one namespace: the copied ClusterServiceVersion and the Operator. A
// UID "" = there is none.
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

// True when the object bears the labels of a copy from the namespace `source`: OLM's or Steward's,
// or what nobody can tell from one. Every other object is somebody's, whatever its name.
bool IsCopyFrom(const StoredRbac& stored, std::string_view source);

// The rule that locks a Role: no account holds it. Kubernetes refuses a binding to a Role that
// grants what the requester does not hold, so that from then on nobody binds a locked Role but
// those who may bind any.
const PolicyRule& LockRule();
// The Role as it shall be while it is not known who is bound to it: it grants nothing of what it is
// to be given, keeps what it grants already and shall keep, and is locked.
WantedRbac Locked(const WantedRbac& role, const PolicyRules& granted);

enum class Difference {
  kNone,
  kUpdate,   // its content differs
  kReplace,  // the roleRef of a binding differs, which cannot be changed
};
// REQUIRES: equal kind and name. Labels and annotations that a copy does not have are others'
// business, but a copy that is wanted does not wait (kUnwantedSinceAnnotation). Content that is not
// held differs.
Difference Compare(const StoredRbac& stored, const WantedRbac& wanted);
// A stored object, with the wanted content.
boost::json::value Updated(boost::json::object stored, const WantedRbac& wanted);
// The stored object without anything that it grants. REQUIRES: the object is held.
boost::json::value Emptied(const StoredRbac& stored);
bool GrantsNothing(const StoredRbac& stored);

}  // namespace steward::olm

#endif  // OLM_COPIED_RBAC_RBAC_COPY_H_

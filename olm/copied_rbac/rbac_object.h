// Roles, RoleBindings and the part of a ClusterServiceVersion that asks for them, as a cluster
// stores them. Values and pure functions.
#ifndef OLM_COPIED_RBAC_RBAC_OBJECT_H_
#define OLM_COPIED_RBAC_RBAC_OBJECT_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/copied_rbac/policy_rule.h"
#include "olm/object_facts.h"

namespace steward::olm {

inline const kube::GroupVersionResource kRoles = {"rbac.authorization.k8s.io", "v1", "roles"};
inline const kube::GroupVersionResource kRoleBindings = {"rbac.authorization.k8s.io", "v1",
                                                         "rolebindings"};

// An annotation of a copy that stays only until another copy takes its place: the time since when,
// in RFC 3339.
inline constexpr std::string_view kUnwantedSinceAnnotation =
    "steward.operatorframework.io/unwanted-since";

enum class RbacKind { kRole, kRoleBinding };
const kube::GroupVersionResource& ResourceOf(RbacKind kind);
std::string_view NameOf(RbacKind kind);  // "Role", ...

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controls = false;  // controller
  bool blocks = false;    // blockOwnerDeletion

  bool operator==(const OwnerReference&) const = default;
};

struct Subject {
  std::string kind;
  std::string group;
  std::string ns;
  std::string name;

  bool operator==(const Subject&) const = default;
};

struct RoleReference {
  std::string group;
  std::string kind;
  std::string name;

  bool operator==(const RoleReference&) const = default;
};

struct StoredRbac {
  RbacKind kind = RbacKind::kRole;
  ObjectFacts facts;
  std::vector<OwnerReference> owners;
  PolicyRules rules;              // of a Role
  std::vector<Subject> subjects;  // of a RoleBinding
  RoleReference role;             // of a RoleBinding
  std::string unwanted_since;     // kUnwantedSinceAnnotation; "" = it does not wait
  boost::json::object object;     // the whole object, or empty when it is not kept in memory
  // False: only `facts` are known, the content was not kept.
  bool has_content = true;
};
// Errors (kInvalidArgument): not a JSON object, or no name or uid. Members of a wrong type count as
// absent.
absl::StatusOr<StoredRbac> ReadRbac(RbacKind kind, std::string_view json);

// spec.install.spec.permissions of a ClusterServiceVersion.
struct Permission {
  std::string service_account;
  PolicyRules rules;
};

struct RbacSource {
  ObjectFacts facts;
  bool copied = false;  // a copy has no copies
  std::vector<Permission> permissions;
  // The Operator that the ClusterServiceVersion is a component of, by its label; "" = none.
  std::string operator_name;
};
// Errors (kInvalidArgument): no JSON object, or no name or uid.
absl::StatusOr<RbacSource> ReadRbacSource(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_COPIED_RBAC_RBAC_OBJECT_H_

#include "olm/payload/protected_objects.h"

#include <cstddef>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

constexpr std::string_view kOwnGroup = "steward.operatorframework.io";
constexpr std::string_view kViewsGroup = "views.operators.coreos.com";

// `name` is that of a definition or an APIService: what stands before the group has no dot.
bool IsOfOwnGroup(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view group = name.substr(dot + 1);
  return group == kViewsGroup || group == kOwnGroup || group.ends_with(StrCat(".", kOwnGroup));
}

bool Is(const PayloadIdentity& identity, std::string_view group, std::string_view kind) {
  return identity.group == group && identity.kind == kind;
}

}  // namespace

std::optional<std::string> ReasonNotToDelete(const PayloadIdentity& identity,
                                             std::string_view record_namespace) {
  const std::string& name = identity.name;
  if (identity.IsNamespace()) {
    if (name == record_namespace) return "Steward keeps its record in this namespace";
    if (name == "default" || name.starts_with("kube-")) return "the cluster needs this namespace";
  }
  if (!identity.ns.empty()) {
    if (identity.ns != record_namespace) return std::nullopt;
    return StrCat("it is in the namespace ", record_namespace, ", where Steward keeps its record");
  }
  if (Is(identity, "apiextensions.k8s.io", "CustomResourceDefinition") && IsOfOwnGroup(name)) {
    return "it defines a resource of Steward";
  }
  if (Is(identity, "apiregistration.k8s.io", "APIService") && IsOfOwnGroup(name)) {
    return "it serves an API of Steward";
  }
  // The ClusterOperator steward-payload is one of them.
  if (name.starts_with("steward-")) return "it belongs to Steward";
  return std::nullopt;
}

}  // namespace steward::olm

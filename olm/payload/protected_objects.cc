#include "olm/payload/protected_objects.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kOwnNamespace = "steward-system";
constexpr std::string_view kOwnName = "steward-";
// The prefix of the labels that add a ClusterRole's rules to the rights of Steward's accounts.
constexpr std::string_view kAggregation = "steward.operators.coreos.com/aggregate-to-";
constexpr std::string_view kOwnGroup = "steward.operatorframework.io";
constexpr std::string_view kViewsGroup = "views.operators.coreos.com";

// `name` is the name of a definition or an APIService, so the part before the first dot is not of
// the group.
bool IsOfOwnGroup(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view group = name.substr(dot + 1);
  return group == kViewsGroup || group == kOwnGroup || group.ends_with(StrCat(".", kOwnGroup));
}

bool Is(const PayloadIdentity& identity, std::string_view group, std::string_view kind) {
  return identity.group == group && identity.kind == kind;
}

// True for a namespace in which Steward keeps objects.
bool IsOwnNamespace(std::string_view ns, std::string_view record_namespace) {
  return ns == record_namespace || ns == kOwnNamespace;
}

// True if a binding is for an account in Steward's namespace, or for all accounts there.
bool BindsOwnAccount(const json::object& binding, std::string_view record_namespace) {
  const auto is_own = [record_namespace](std::string_view name) {
    for (const std::string_view ns : {record_namespace, kOwnNamespace}) {
      if (name.starts_with(StrCat("system:serviceaccount:", ns, ":"))) return true;
      if (name == StrCat("system:serviceaccounts:", ns)) return true;
    }
    return false;
  };
  // userNames and groupNames are fields of authorization.openshift.io.
  for (const char* key : {"subjects", "userNames", "groupNames"}) {
    const json::array* list = ArrayAt(binding, key);
    if (list == nullptr) continue;
    for (const json::value& each : *list) {
      if (each.is_string() && is_own(View(each.get_string()))) return true;
      const json::object* subject = each.if_object();
      if (subject == nullptr) continue;
      if (is_own(StringAt(*subject, "name"))) return true;
      if (StringAt(*subject, "kind") == "ServiceAccount" &&
          IsOwnNamespace(StringAt(*subject, "namespace"), record_namespace)) {
        return true;
      }
    }
  }
  return false;
}

// True if the labels of a ClusterRole add its rules to the rights of Steward's accounts.
bool AddsToOwnRights(const json::object& role) {
  const json::object* metadata = ObjectAt(role, "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  if (labels == nullptr) return false;
  return std::any_of(labels->begin(), labels->end(),
                     [](const auto& label) { return View(label.key()).starts_with(kAggregation); });
}

std::optional<std::string> ReasonByRights(const PayloadManifest& manifest,
                                          std::string_view record_namespace) {
  if (manifest.identity.group != "rbac.authorization.k8s.io") return std::nullopt;
  const std::string& kind = manifest.identity.kind;
  if ((kind == "ClusterRoleBinding" || kind == "RoleBinding") &&
      BindsOwnAccount(manifest.object, record_namespace)) {
    return "it gives rights to an account of Steward";
  }
  if (kind == "ClusterRole" && AddsToOwnRights(manifest.object)) {
    return "its labels add it to the rights of an account of Steward";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReasonNotToName(const PayloadManifest& manifest,
                                           std::string_view record_namespace) {
  const PayloadIdentity& identity = manifest.identity;
  const std::string& name = identity.name;
  if (identity.IsNamespace()) {
    if (IsOwnNamespace(name, record_namespace)) return "Steward keeps its record in this namespace";
    if (manifest.deletes && (name == "default" || name.starts_with("kube-"))) {
      return "the cluster needs this namespace";
    }
  }
  if (IsOwnNamespace(identity.ns, record_namespace)) {
    return StrCat("it is in the namespace ", identity.ns, ", where Steward keeps its record");
  }
  // Only the name of a delete manifest matters.
  if (!manifest.deletes) {
    if (auto reason = ReasonByRights(manifest, record_namespace)) return reason;
  }
  // The RoleBindings by which Steward's servers read how requests are authenticated.
  if (identity.ns == "kube-system" && name.starts_with(kOwnName)) return "it belongs to Steward";
  if (!identity.ns.empty()) return std::nullopt;
  if (Is(identity, "apiextensions.k8s.io", "CustomResourceDefinition") && IsOfOwnGroup(name)) {
    return "it defines a resource of Steward";
  }
  if (Is(identity, "apiregistration.k8s.io", "APIService") && IsOfOwnGroup(name)) {
    return "it serves an API of Steward";
  }
  // The ClusterOperator steward-payload is one of them.
  if (name.starts_with(kOwnName)) return "it belongs to Steward";
  return std::nullopt;
}

bool DefinesOlm(const PayloadIdentity& identity) {
  return Is(identity, "apiextensions.k8s.io", "CustomResourceDefinition") &&
         identity.name.ends_with(".operators.coreos.com") && !IsOfOwnGroup(identity.name);
}

}  // namespace steward::olm

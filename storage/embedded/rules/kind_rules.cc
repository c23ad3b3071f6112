#include "storage/embedded/rules/kind_rules.h"

namespace steward::storage {
namespace {

constexpr char kRbac[] = "rbac.authorization.k8s.io";

bool IsCore(const kube::ResourceType& type, const char* kind) {
  return type.gvk.group.empty() && type.gvk.kind == kind;
}

}  // namespace

bool IsCustomResource(const kube::ResourceType& type) {
  return type.custom || type.gvk.group == "operators.coreos.com";
}

bool CountsGenerations(const kube::ResourceType& type) {
  return IsCustomResource(type) || type.gvk.group == "apiextensions.k8s.io";
}

NameForm NameFormOf(const kube::ResourceType& type) {
  if (IsCore(type, "Namespace")) return NameForm::kDnsLabel;
  if (type.gvk.group == kRbac || IsCore(type, "Event")) return NameForm::kPathSegment;
  return NameForm::kDnsSubdomain;
}

bool WantsQualifiedFinalizers(const kube::ResourceType& type) {
  return type.gvk.group == kRbac || (type.gvk.group.empty() && !IsCore(type, "Event"));
}

bool MayHaveDependents(const kube::ResourceType& type) { return !IsCore(type, "Event"); }

}  // namespace steward::storage

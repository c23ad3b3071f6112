#include "olm/plan/step_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace steward::olm {
namespace {

constexpr std::string_view kOlm = "operators.coreos.com";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kExtensions = "apiextensions.k8s.io";

// The kinds that every cluster has, and OLM's own.
struct Known {
  std::string_view group;
  std::string_view kind;
  std::string_view resource;
  bool namespaced;
  StepKind step;
  bool exempt;  // never optional (R-002-15)
};
constexpr std::array<Known, 12> kKnown = {{
    {kOlm, "ClusterServiceVersion", "clusterserviceversions", true, StepKind::kCsv, true},
    {kOlm, "Subscription", "subscriptions", true, StepKind::kSubscription, false},
    {kExtensions, "CustomResourceDefinition", "customresourcedefinitions", false,
     StepKind::kDefinition, false},
    {"", "ServiceAccount", "serviceaccounts", true, StepKind::kServiceAccount, true},
    {kRbac, "Role", "roles", true, StepKind::kAccess, true},
    {kRbac, "RoleBinding", "rolebindings", true, StepKind::kAccess, true},
    {kRbac, "ClusterRole", "clusterroles", false, StepKind::kAccess, true},
    {kRbac, "ClusterRoleBinding", "clusterrolebindings", false, StepKind::kAccess, true},
    {"", "Secret", "secrets", true, StepKind::kBuiltIn, true},
    {"", "BundleSecret", "secrets", true, StepKind::kBuiltIn, true},
    {"", "ConfigMap", "configmaps", true, StepKind::kBuiltIn, true},
    {"", "Service", "services", true, StepKind::kBuiltIn, true},
}};

// Further kinds that OLM installs, of whatever group.
constexpr std::array<std::string_view, 11> kOthers = {
    "PrometheusRule",        "ServiceMonitor",    "PodDisruptionBudget", "PriorityClass",
    "NetworkPolicy",         "ConsoleYAMLSample", "ConsoleQuickStart",   "ConsoleCLIDownload",
    "VerticalPodAutoscaler", "ConsoleLink",       "ConsolePlugin"};

const Known* Find(const kube::GroupVersionKind& gvk) {
  const auto* const found = std::find_if(kKnown.begin(), kKnown.end(), [&gvk](const Known& each) {
    return each.group == gvk.group && each.kind == gvk.kind;
  });
  return found == kKnown.end() ? nullptr : found;
}

}  // namespace

StepKind StepKindOf(const kube::GroupVersionKind& gvk) {
  if (const Known* known = Find(gvk)) return known->step;
  const bool other = std::find(kOthers.begin(), kOthers.end(), gvk.kind) != kOthers.end();
  return other ? StepKind::kOther : StepKind::kUnsupported;
}

bool IsNeverOptional(const kube::GroupVersionKind& gvk) {
  const Known* known = Find(gvk);
  return known != nullptr && known->exempt;
}

bool CanBeOptional(const kube::GroupVersionKind& gvk) {
  return StepKindOf(gvk) == StepKind::kOther;
}

kube::GroupVersionKind ObjectKind(const kube::GroupVersionKind& step) {
  if (step.group.empty() && step.kind == "BundleSecret") {
    return {"", step.version.empty() ? "v1" : step.version, "Secret"};
  }
  return step;
}

std::optional<StepResource> BuiltInResource(const kube::GroupVersionKind& step) {
  const Known* known = Find(step);
  if (known == nullptr) return std::nullopt;
  const kube::GroupVersionKind kind = ObjectKind(step);
  return StepResource{{kind.group, kind.version, std::string(known->resource)}, known->namespaced};
}

}  // namespace steward::olm

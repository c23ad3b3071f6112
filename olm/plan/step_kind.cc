#include "olm/plan/step_kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace steward::olm {
namespace {

constexpr std::string_view kOlm = "operators.coreos.com";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kExtensions = "apiextensions.k8s.io";

// The kinds that every cluster has, and OLM's own. OLM writes all of them except definitions with a
// client of a fixed version, whatever the manifest says.
struct Known {
  std::string_view group;
  std::string_view version;  // "" = that of the manifest
  std::string_view kind;
  std::string_view resource;
  bool namespaced;
  StepKind step;
  bool exempt;  // never optional (R-002-15)
};
constexpr std::array<Known, 12> kKnown = {{
    {kOlm, "v1alpha1", "ClusterServiceVersion", "clusterserviceversions", true, StepKind::kCsv,
     true},
    {kOlm, "v1alpha1", "Subscription", "subscriptions", true, StepKind::kSubscription, false},
    {kExtensions, "", "CustomResourceDefinition", "customresourcedefinitions", false,
     StepKind::kDefinition, false},
    {"", "v1", "ServiceAccount", "serviceaccounts", true, StepKind::kServiceAccount, true},
    {kRbac, "v1", "Role", "roles", true, StepKind::kRole, true},
    {kRbac, "v1", "RoleBinding", "rolebindings", true, StepKind::kBinding, true},
    {kRbac, "v1", "ClusterRole", "clusterroles", false, StepKind::kRole, true},
    {kRbac, "v1", "ClusterRoleBinding", "clusterrolebindings", false, StepKind::kBinding, true},
    {"", "v1", "Secret", "secrets", true, StepKind::kBuiltIn, true},
    {"", "v1", "BundleSecret", "secrets", true, StepKind::kBuiltIn, true},
    {"", "v1", "ConfigMap", "configmaps", true, StepKind::kBuiltIn, true},
    {"", "v1", "Service", "services", true, StepKind::kBuiltIn, true},
}};

// Further kinds that OLM installs, of whatever group.
constexpr std::array<std::string_view, 11> kOthers = {
    "PrometheusRule",        "ServiceMonitor",    "PodDisruptionBudget", "PriorityClass",
    "NetworkPolicy",         "ConsoleYAMLSample", "ConsoleQuickStart",   "ConsoleCLIDownload",
    "VerticalPodAutoscaler", "ConsoleLink",       "ConsolePlugin"};

// True if OLM's executor looks only at the kind and ignores the group. It does so for all kinds
// except definitions and Subscriptions.
bool GoesByKind(const Known& known) {
  return known.step != StepKind::kDefinition && known.step != StepKind::kSubscription;
}

const Known* Find(const kube::GroupVersionKind& gvk) {
  const auto* const found = std::find_if(kKnown.begin(), kKnown.end(), [&gvk](const Known& each) {
    return each.kind == gvk.kind && (each.group == gvk.group || GoesByKind(each));
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
  return known != nullptr && known->exempt && known->group == gvk.group;
}

bool CanBeOptional(const kube::GroupVersionKind& gvk) {
  return StepKindOf(gvk) == StepKind::kOther;
}

kube::GroupVersionKind ObjectKind(const kube::GroupVersionKind& step) {
  const Known* known = Find(step);
  if (known == nullptr) return step;
  const bool secret = known->group.empty() && known->kind == "BundleSecret";
  return {std::string(known->group),
          known->version.empty() ? step.version : std::string(known->version),
          secret ? "Secret" : step.kind};
}

std::optional<StepResource> BuiltInResource(const kube::GroupVersionKind& step) {
  const Known* known = Find(step);
  if (known == nullptr) return std::nullopt;
  const kube::GroupVersionKind kind = ObjectKind(step);
  return StepResource{{kind.group, kind.version, std::string(known->resource)}, known->namespaced};
}

}  // namespace steward::olm

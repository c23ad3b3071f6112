// The kinds of manifests that an InstallPlan installs, and how each is installed. Pure functions.
#ifndef OLM_PLAN_STEP_KIND_H_
#define OLM_PLAN_STEP_KIND_H_

#include <optional>

#include "kube/meta/names.h"

namespace steward::olm {

enum class StepKind {
  kCsv,             // created; one that is there stays as it is
  kDefinition,      // a CustomResourceDefinition: created, or updated after checks
  kSubscription,    // created; one that is there stays as it is
  kServiceAccount,  // created, or merged into the one that is there
  kRole,            // Role, ClusterRole: created, or patched
  kBinding,         // RoleBinding, ClusterRoleBinding: created, or patched
  kBuiltIn,         // Secret (BundleSecret, too), ConfigMap, Service: created, or patched
  kOther,           // further kinds that OLM installs: created, or replaced
  kUnsupported,     // any other kind: the plan is invalid
};

// Only the kind decides, as in OLM; for definitions and Subscriptions the group must match, too.
// kOther: PrometheusRule, ServiceMonitor, PodDisruptionBudget, PriorityClass,
// VerticalPodAutoscaler, ConsoleYAMLSample, ConsoleQuickStart, ConsoleCLIDownload, ConsoleLink,
// ConsolePlugin, NetworkPolicy, of whatever group.
StepKind StepKindOf(const kube::GroupVersionKind& gvk);

// The kinds that are never optional (R-002-15), by group and kind: ClusterServiceVersion, Secret
// (and OLM's name for one in a bundle, BundleSecret), ServiceAccount, Role, RoleBinding,
// ClusterRole, ClusterRoleBinding, Service, ConfigMap.
bool IsNeverOptional(const kube::GroupVersionKind& gvk);

// True if `optional` has an effect on a step of this kind: kOther. The other kinds are exempt, or
// OLM treats them in its own way (definitions, Subscriptions; R-002-69).
bool CanBeOptional(const kube::GroupVersionKind& gvk);

// The kind under which the object is written. BundleSecret becomes Secret. For the kinds that every
// cluster has, and OLM's own (except definitions), group and version are those of OLM's clients,
// whatever the manifest says (rbac.authorization.k8s.io/v1beta1, or nothing).
kube::GroupVersionKind ObjectKind(const kube::GroupVersionKind& step);

// The resource of the kinds that every cluster has, and of OLM's own; nullopt for kOther, which
// discovery knows, and for kUnsupported.
struct StepResource {
  kube::GroupVersionResource gvr;
  bool namespaced = false;
};
std::optional<StepResource> BuiltInResource(const kube::GroupVersionKind& step);

}  // namespace steward::olm

#endif  // OLM_PLAN_STEP_KIND_H_

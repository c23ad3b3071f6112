// The resources that the plugin reads and writes, besides custom resources. Constants.
#ifndef PLUGIN_CLUSTER_RESOURCES_H_
#define PLUGIN_CLUSTER_RESOURCES_H_

#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "olm/resources.h"

namespace steward::plugin {

using kube::kCrds;
using kube::kNamespaces;
using kube::kPolicies;
using kube::kPolicyBindings;
using olm::kCsvs;
using olm::kInstallPlans;
using olm::kOlmConfigs;
using olm::kOperatorGroups;
using olm::kSubscriptions;

// Steward's own resources.
inline const kube::GroupVersionResource kCleanupStatuses = {"views.operators.coreos.com",
                                                            "v1alpha1", "cleanupstatuses"};
inline const kube::GroupVersionResource kInstalledOperators = {"views.operators.coreos.com",
                                                               "v1alpha1", "installedoperators"};
// The remedy if Steward's resources are not served.
inline constexpr char kWhereViewsAreNotServed[] =
    "install Steward's API server (deploy/base), or see why it does not answer: "
    "kubectl get apiservice v1alpha1.views.operators.coreos.com";

// The field manager of the plugin's writes.
inline constexpr char kFieldManager[] = "kubectl-steward";

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_RESOURCES_H_

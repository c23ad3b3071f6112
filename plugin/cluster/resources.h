// The resources that the plugin reads and writes, besides custom resources. Constants.
#ifndef PLUGIN_CLUSTER_RESOURCES_H_
#define PLUGIN_CLUSTER_RESOURCES_H_

#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "olm/resources.h"

namespace steward::plugin {

using kube::kCrds;
using kube::kPolicies;
using olm::kCsvs;
using olm::kInstallPlans;
using olm::kOperatorGroups;
using olm::kSubscriptions;

// Steward's own resource.
inline const kube::GroupVersionResource kCleanupStatuses = {"views.operators.coreos.com",
                                                            "v1alpha1", "cleanupstatuses"};

// The field manager of the plugin's writes.
inline constexpr char kFieldManager[] = "kubectl-steward";

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_RESOURCES_H_

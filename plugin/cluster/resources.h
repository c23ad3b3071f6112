// The resources that the plugin reads and writes, besides custom resources. Constants.
#ifndef PLUGIN_CLUSTER_RESOURCES_H_
#define PLUGIN_CLUSTER_RESOURCES_H_

#include "kube/meta/names.h"

namespace steward::plugin {

inline const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                                 "clusterserviceversions"};
inline const kube::GroupVersionResource kSubscriptions = {"operators.coreos.com", "v1alpha1",
                                                          "subscriptions"};
inline const kube::GroupVersionResource kInstallPlans = {"operators.coreos.com", "v1alpha1",
                                                         "installplans"};
inline const kube::GroupVersionResource kOperatorGroups = {"operators.coreos.com", "v1",
                                                           "operatorgroups"};
inline const kube::GroupVersionResource kCrds = {"apiextensions.k8s.io", "v1",
                                                 "customresourcedefinitions"};
inline const kube::GroupVersionResource kPolicies = {"admissionregistration.k8s.io", "v1",
                                                     "validatingadmissionpolicies"};
// Steward's own resource.
inline const kube::GroupVersionResource kCleanupStatuses = {"views.operators.coreos.com",
                                                            "v1alpha1", "cleanupstatuses"};

// The field manager of the plugin's writes.
inline constexpr char kFieldManager[] = "kubectl-steward";

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_RESOURCES_H_

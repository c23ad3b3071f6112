// The resources of the Operator Lifecycle Manager. Constants.
#ifndef OLM_RESOURCES_H_
#define OLM_RESOURCES_H_

#include "kube/meta/names.h"

namespace steward::olm {

inline const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                                 "clusterserviceversions"};
inline const kube::GroupVersionResource kSubscriptions = {"operators.coreos.com", "v1alpha1",
                                                          "subscriptions"};
inline const kube::GroupVersionResource kInstallPlans = {"operators.coreos.com", "v1alpha1",
                                                         "installplans"};
inline const kube::GroupVersionResource kOperatorGroups = {"operators.coreos.com", "v1",
                                                           "operatorgroups"};
inline const kube::GroupVersionResource kOlmConfigs = {"operators.coreos.com", "v1", "olmconfigs"};
inline const kube::GroupVersionResource kOperators = {"operators.coreos.com", "v1", "operators"};
inline const kube::GroupVersionResource kOperatorConditions = {"operators.coreos.com", "v2",
                                                               "operatorconditions"};

inline const kube::GroupVersionKind kCsvKind = {"operators.coreos.com", "v1alpha1",
                                                "ClusterServiceVersion"};

}  // namespace steward::olm

#endif  // OLM_RESOURCES_H_

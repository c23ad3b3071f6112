// The resources that cleanup reads and writes. Constants.
#ifndef CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_
#define CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_

#include "kube/meta/names.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                                 "clusterserviceversions"};
inline const kube::GroupVersionResource kOperatorGroups = {"operators.coreos.com", "v1",
                                                           "operatorgroups"};
inline const kube::GroupVersionResource kOperatorConditions = {"operators.coreos.com", "v2",
                                                               "operatorconditions"};
inline const kube::GroupVersionResource kNamespaces = {"", "v1", "namespaces"};
inline const kube::GroupVersionResource kCrds = {"apiextensions.k8s.io", "v1",
                                                 "customresourcedefinitions"};
inline const kube::GroupVersionResource kApiServices = {"apiregistration.k8s.io", "v1",
                                                        "apiservices"};
inline const kube::GroupVersionResource kDeployments = {"apps", "v1", "deployments"};
inline const kube::GroupVersionResource kPolicies = {"admissionregistration.k8s.io", "v1",
                                                     "validatingadmissionpolicies"};
inline const kube::GroupVersionResource kPolicyBindings = {"admissionregistration.k8s.io", "v1",
                                                           "validatingadmissionpolicybindings"};

inline const kube::GroupVersionKind kCsvKind = {"operators.coreos.com", "v1alpha1",
                                                "ClusterServiceVersion"};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_

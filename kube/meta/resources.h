// The resources of every Kubernetes that more than one room reads or writes. Constants.
#ifndef KUBE_META_RESOURCES_H_
#define KUBE_META_RESOURCES_H_

#include "kube/meta/names.h"

namespace steward::kube {

inline const GroupVersionResource kNamespaces = {"", "v1", "namespaces"};
inline const GroupVersionResource kDeployments = {"apps", "v1", "deployments"};
inline const GroupVersionResource kCrds = {"apiextensions.k8s.io", "v1",
                                           "customresourcedefinitions"};
inline const GroupVersionResource kApiServices = {"apiregistration.k8s.io", "v1", "apiservices"};
inline const GroupVersionResource kPolicies = {"admissionregistration.k8s.io", "v1",
                                               "validatingadmissionpolicies"};
inline const GroupVersionResource kPolicyBindings = {"admissionregistration.k8s.io", "v1",
                                                     "validatingadmissionpolicybindings"};
inline const GroupVersionResource kConfigMaps = {"", "v1", "configmaps"};
inline const GroupVersionResource kSecrets = {"", "v1", "secrets"};
inline const GroupVersionResource kServiceAccounts = {"", "v1", "serviceaccounts"};
inline const GroupVersionResource kLeases = {"coordination.k8s.io", "v1", "leases"};
inline const GroupVersionResource kEndpointSlices = {"discovery.k8s.io", "v1", "endpointslices"};
inline const GroupVersionResource kClusterRoles = {"rbac.authorization.k8s.io", "v1",
                                                   "clusterroles"};
inline const GroupVersionResource kRoleBindings = {"rbac.authorization.k8s.io", "v1",
                                                   "rolebindings"};
inline const GroupVersionResource kSubjectAccessReviews = {"authorization.k8s.io", "v1",
                                                           "subjectaccessreviews"};

}  // namespace steward::kube

#endif  // KUBE_META_RESOURCES_H_

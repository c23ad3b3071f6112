#include "controllers/operator/component_kinds.h"

#include "kube/meta/resources.h"
#include "olm/copy.h"
#include "olm/operator/component.h"
#include "olm/resources.h"

namespace steward::controllers {

std::vector<WatchedKind> WatchedKinds(bool secrets) {
  const std::string olm = "operators.coreos.com";
  const std::string rbac = "rbac.authorization.k8s.io";
  const std::string managed(olm::kManagedSelector);
  const std::string copied(olm::kCopiedFromLabel);
  std::vector<WatchedKind> kinds = {
      {olm::kCsvKind, olm::kCsvs, "!" + copied, true, true, true},
      {{olm, "v1", "Operator"}, olm::kOperators, "", false, false, true},
      {{olm, "v1alpha1", "Subscription"}, olm::kSubscriptions, "", true, true, true},
      {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
       kube::kCrds,
       managed,
       true,
       true,
       true},
      {olm::kCsvKind, olm::kCsvs, copied, false},
      {{olm, "v1alpha1", "InstallPlan"}, olm::kInstallPlans, "", true, true, true},
      {{"apps", "v1", "Deployment"}, kube::kDeployments, managed, true, true},
      {{"", "v1", "Service"}, {"", "v1", "services"}, managed, true, true},
      {{"", "v1", "Namespace"}, kube::kNamespaces, "", true, true},
      {{"apiregistration.k8s.io", "v1", "APIService"}, kube::kApiServices, managed, true, true},
      {{olm, "v2", "OperatorCondition"}, olm::kOperatorConditions, "", true, true},
      {{"", "v1", "ConfigMap"}, {"", "v1", "configmaps"}, managed},
      {{"", "v1", "ServiceAccount"}, {"", "v1", "serviceaccounts"}, managed},
      {{rbac, "v1", "Role"}, {rbac, "v1", "roles"}, managed},
      {{rbac, "v1", "RoleBinding"}, {rbac, "v1", "rolebindings"}, managed},
      {{rbac, "v1", "ClusterRole"}, {rbac, "v1", "clusterroles"}, managed},
      {{rbac, "v1", "ClusterRoleBinding"}, {rbac, "v1", "clusterrolebindings"}, managed},
  };
  if (secrets) kinds.push_back({{"", "v1", "Secret"}, {"", "v1", "secrets"}, ""});
  return kinds;
}

}  // namespace steward::controllers

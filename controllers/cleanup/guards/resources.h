// The resources that cleanup reads and writes. Constants.
#ifndef CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_
#define CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_

#include "kube/meta/resources.h"
#include "olm/resources.h"

namespace steward::controllers {

using kube::kApiServices;
using kube::kCrds;
using kube::kDeployments;
using kube::kNamespaces;
using kube::kPolicies;
using kube::kPolicyBindings;
using olm::kCsvKind;
using olm::kCsvs;
using olm::kOperatorConditions;
using olm::kOperatorGroups;

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_RESOURCES_H_

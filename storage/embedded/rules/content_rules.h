// The rules of the kube-apiserver for the content of built-in kinds, as far as operators' manifests
// break them. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_CONTENT_RULES_H_
#define STORAGE_EMBEDDED_RULES_CONTENT_RULES_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"

namespace steward::storage {

// The reason why the object cannot be decoded, in Kubernetes' words; "" = it can be decoded. Checks
// ConfigMaps and Secrets: their values must be strings.
std::string ContentProblem(const kube::ResourceType& type, const boost::json::object& object);

// The causes of a 422. `stored` is the object to be replaced, or null if the object is new. Checks
// that these fields are valid, or stay as they are stored:
//
//   ConfigMap, Secret         data and binaryData, where `immutable` is set, which stays set;
//                             type of a Secret
//   Service                   has ports, whose names are there and differ where there are several;
//                             clusterIP, once it has one
//   RoleBinding, ClusterRoleBinding   roleRef
//   PriorityClass             value
//   CustomResourceDefinition  has a schema in each version; CheckCrd and CheckCrdUpdate ask the
//   rest
std::vector<kube::StatusCause> ContentCauses(const kube::ResourceType& type,
                                             const boost::json::object& object,
                                             const boost::json::object* stored);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_CONTENT_RULES_H_

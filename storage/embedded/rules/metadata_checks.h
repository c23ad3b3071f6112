// Kubernetes' requirements on an object's metadata. Pure functions.
// Source: k8s.io/apimachinery/pkg/api/validation (ValidateObjectMetaAccessor and ...Update).
#ifndef STORAGE_EMBEDDED_RULES_METADATA_CHECKS_H_
#define STORAGE_EMBEDDED_RULES_METADATA_CHECKS_H_

#include <boost/json/object.hpp>
#include <vector>

#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"

namespace steward::storage {

// The causes of a 422, empty when the metadata is valid; at most the first hundred. Metadata is in
// the form in which object_meta.h decodes it.
std::vector<kube::StatusCause> CreateCauses(const kube::ResourceType& type,
                                            const boost::json::object& meta);
std::vector<kube::StatusCause> UpdateCauses(const kube::ResourceType& type,
                                            const boost::json::object& stored_meta,
                                            const boost::json::object& meta);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_METADATA_CHECKS_H_

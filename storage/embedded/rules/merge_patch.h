// JSON merge patch (RFC 7396). A pure function.
#ifndef STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_
#define STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_

#include <boost/json/object.hpp>

namespace steward::storage {

// Follows the RFC with one exception, as Kubernetes does: null members are also dropped from
// objects within the patch's arrays.
void ApplyMergePatch(const boost::json::object& patch, boost::json::object& target);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_

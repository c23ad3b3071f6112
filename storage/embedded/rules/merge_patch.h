// JSON merge patch (RFC 7396).
#ifndef STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_
#define STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_

#include <boost/json/object.hpp>

namespace steward::storage {

// One thing is as in Kubernetes and not as in the RFC: null members are dropped from objects within
// the patch's arrays, too.
void ApplyMergePatch(const boost::json::object& patch, boost::json::object& target);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_MERGE_PATCH_H_

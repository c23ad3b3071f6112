// The contents of discovery documents. Pure functions.
#ifndef KUBE_CLIENT_API_RESOURCES_H_
#define KUBE_CLIENT_API_RESOURCES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

inline constexpr size_t kMaxDiscoveryBytes = 4 << 20;
inline constexpr size_t kMaxApiResources = 4096;  // subresources included

// The resources of an APIResourceList of `gv`, in its order, without subresources, and without
// resources that the list assigns to another group or version. kDataLoss if `json` is no such list,
// or a resource has no name or kind: a 200 of some other server must not prove that a kind is
// absent. kResourceExhausted beyond the limits.
absl::StatusOr<std::vector<ApiResource>> ParseApiResources(std::string_view json,
                                                           const GroupVersion& gv);

inline constexpr size_t kMaxApiGroups = 4096;  // versions of groups

// The versions of the core group (from an APIVersions document), or of all other groups (from an
// APIGroupList), the preferred version of each group first. Errors as for ParseApiResources.
absl::StatusOr<std::vector<GroupVersion>> ParseApiGroups(std::string_view json);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_API_RESOURCES_H_

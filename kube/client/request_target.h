// Paths and queries of requests to the Kubernetes API. Pure functions.
#ifndef KUBE_CLIENT_REQUEST_TARGET_H_
#define KUBE_CLIENT_REQUEST_TARGET_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// Each function returns an absolute path with its query, percent-encoded, to be put behind the
// server's path prefix. kInvalidArgument when the group, version or resource is no path segment.

absl::StatusOr<std::string> CollectionTarget(const GroupVersionResource& gvr, std::string_view ns);
// An empty name is kInvalidArgument, too.
absl::StatusOr<std::string> ObjectTarget(const GroupVersionResource& gvr,
                                         const NamespacedName& name);
// The target of a POST. kInvalidArgument with a subresource: collections have none.
absl::StatusOr<std::string> CreateTarget(const GroupVersionResource& gvr, std::string_view ns,
                                         const WriteOptions& options);
// The target of a PUT or PATCH.
absl::StatusOr<std::string> WriteTarget(const GroupVersionResource& gvr, const NamespacedName& name,
                                        const WriteOptions& options);
absl::StatusOr<std::string> ListTarget(const GroupVersionResource& gvr, const ListOptions& options);
absl::StatusOr<std::string> WatchTarget(const GroupVersionResource& gvr,
                                        const WatchOptions& options);
// The target of a group version's discovery document.
absl::StatusOr<std::string> DiscoveryTarget(const GroupVersion& gv);

// Encodes as RFC 3986 says: everything but unreserved characters becomes %XX.
std::string PercentEncode(std::string_view text);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REQUEST_TARGET_H_

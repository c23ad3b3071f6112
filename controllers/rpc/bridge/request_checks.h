// The checks that the requests of all services share. Pure functions; errors carry a Kubernetes
// Status: 400.
#ifndef CONTROLLERS_RPC_BRIDGE_REQUEST_CHECKS_H_
#define CONTROLLERS_RPC_BRIDGE_REQUEST_CHECKS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::rpc {

inline constexpr size_t kMaxPageBytes = 2 << 20;  // the limit for the items of a page

absl::Status BadRequest(std::string_view message);

absl::Status CheckNamespace(const std::string& ns);
// Accepts "", which stands for all namespaces.
absl::Status CheckScope(const std::string& ns);
// Accepts the name of an object. `field` is the request's, and `kind` has its article: "an
// InstallPlan".
absl::Status CheckName(std::string_view field, const std::string& name, std::string_view kind);
// Returns the size of a page for a page_size: 0 = 500; at most 1000.
absl::StatusOr<size_t> PageSize(int asked);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_REQUEST_CHECKS_H_

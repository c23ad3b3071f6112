#include "kube/client/client.h"

#include "absl/status/status.h"

namespace steward::kube {

Task<std::string> Client::ServerVersion() {
  co_return absl::UnimplementedError("there is no server");
}

Task<absl::Time> Client::ServerTime() { co_return absl::UnimplementedError("there is no server"); }

}  // namespace steward::kube

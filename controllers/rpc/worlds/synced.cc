#include "controllers/rpc/worlds/synced.h"

#include "absl/time/time.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Hours(1);

}  // namespace

absl::Status CheckSynced(const storage::World& world) {
  if (world.synced()) return absl::OkStatus();
  return kube::ToStatus(kube::ServiceUnavailable(
      "nothing has been read from the cluster yet, please try again later", kRetrySeconds));
}

VoidTask UntilSynced(storage::WorldStore& worlds) {
  while (!worlds.Current()->synced()) {
    co_await worlds.WaitUntil([](const storage::World& world) { return world.synced(); },
                              kPatience);
  }
}

}  // namespace steward::rpc

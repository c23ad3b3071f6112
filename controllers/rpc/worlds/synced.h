// Checks whether services that answer from Worlds are ready. Stateless functions.
#ifndef CONTROLLERS_RPC_WORLDS_SYNCED_H_
#define CONTROLLERS_RPC_WORLDS_SYNCED_H_

#include "absl/status/status.h"
#include "base/async/task.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

inline constexpr int kRetrySeconds = 1;  // the retry time of a short 503

// Fails with a 503 before the first lists of the World are complete.
absl::Status CheckSynced(const storage::World& world);
// Returns when the first lists of the World are complete. REQUIRES: `worlds` outlives the call.
VoidTask UntilSynced(storage::WorldStore& worlds);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_SYNCED_H_

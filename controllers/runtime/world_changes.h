// What happened between the Worlds that a reconciler saw.
#ifndef CONTROLLERS_RUNTIME_WORLD_CHANGES_H_
#define CONTROLLERS_RUNTIME_WORLD_CHANGES_H_

#include <functional>

#include "base/async/task.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// `touched` is null when everything may have changed: at the first call, and where a new list left
// a gap. Only what the World holds of an object counts: a change of its deletionTimestamp or of
// other finalizers than ours is none.
using OnWorldChange =
    std::function<void(const storage::World& world, const storage::Touched* touched)>;

// Calls `changed` with the first World that is synced, and again whenever something was touched;
// Worlds that follow fast are told as one. Runs until cancelled. `worlds` outlives the call.
VoidTask FollowWorlds(storage::WorldStore& worlds, OnWorldChange changed);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_WORLD_CHANGES_H_

// The changes between the Worlds that a reconciler sees. Runs on the caller's executor.
#ifndef CONTROLLERS_RUNTIME_WORLD_CHANGES_H_
#define CONTROLLERS_RUNTIME_WORLD_CHANGES_H_

#include <functional>

#include "base/async/task.h"
#include "storage/operators/touched_operators.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

// `touched` is null when everything may have changed: at the first call, and after a new list that
// left a gap. Only changes of the parts that a World holds are reported, so not a change of an
// object's deletionTimestamp, or of finalizers other than Steward's.
using OnWorldChange =
    std::function<void(const storage::World& world, const storage::TouchedOperators* touched)>;

// Calls `changed` with the first World that is synced, and again whenever objects changed; Worlds
// that follow each other fast are reported as one. Runs until cancelled. `worlds` are of
// kOperatorSources and outlive the call.
VoidTask FollowWorlds(storage::WorldStore& worlds, OnWorldChange changed);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_WORLD_CHANGES_H_

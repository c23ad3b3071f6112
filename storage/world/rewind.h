// Worlds of the past.
#ifndef STORAGE_WORLD_REWIND_H_
#define STORAGE_WORLD_REWIND_H_

#include "storage/world/world.h"

namespace steward::storage {

// The objects as they were at `vector`, source by source: a state that need never have been
// published here. What the result says of its sources is still the present. Costs the changes that
// are undone. REQUIRES: world->Knows(vector) == kKnown.
WorldPtr Rewind(const WorldPtr& world, const StateVector& vector);

}  // namespace steward::storage

#endif  // STORAGE_WORLD_REWIND_H_

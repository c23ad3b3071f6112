// The objects that changed between two states, by the logs. A value and a pure function.
#ifndef STORAGE_WORLD_TOUCHED_H_
#define STORAGE_WORLD_TOUCHED_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "kube/meta/names.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// Borrows the keys from the World whose logs it was made from.
struct Touched {
  struct Object {
    Source source;
    const kube::NamespacedName* key;
  };
  // The objects, source by source, each in the order of changes; some repeatedly. Mostly few.
  absl::InlinedVector<Object, 4> objects;
  // All changes were above this revision; the largest number if there was none.
  uint64_t floor = UINT64_MAX;

  bool empty() const { return objects.empty(); }
};

// The changes after `from` up to `to`, by the logs of `world`. REQUIRES: `world` knows both.
Touched TouchedBetween(const World& world, const StateVector& from, const StateVector& to);

}  // namespace steward::storage

#endif  // STORAGE_WORLD_TOUCHED_H_

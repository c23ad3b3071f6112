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
  // The objects, source by source, each source's in the order of changes. An object can occur
  // several times. There are mostly few.
  absl::InlinedVector<Object, 4> objects;
  // All changes came after this revision. UINT64_MAX if there was no change.
  uint64_t floor = UINT64_MAX;

  bool empty() const { return objects.empty(); }
};

// The changes after `from` up to `to`, by the logs of `world`. REQUIRES: `world` knows both.
Touched TouchedBetween(const World& world, const StateVector& from, const StateVector& to);

}  // namespace steward::storage

#endif  // STORAGE_WORLD_TOUCHED_H_

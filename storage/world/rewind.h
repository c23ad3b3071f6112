// Worlds of the past.
#ifndef STORAGE_WORLD_REWIND_H_
#define STORAGE_WORLD_REWIND_H_

#include <array>
#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"
#include "storage/world/world.h"

namespace steward::storage {

// The objects as they were at `vector`, source by source: a state that need never have been
// published here. What the result says of its sources is still the present. Costs the changes that
// are undone. REQUIRES: world->Knows(vector) == kKnown.
WorldPtr Rewind(const WorldPtr& world, const StateVector& vector);

// Remembers the last few: those who watch mostly have the same state, and a list in pages asks for
// the same again and again. Thread-safe; holds no lock while it rewinds.
class RewindCache {
 public:
  // REQUIRES: as Rewind.
  WorldPtr At(const WorldPtr& world, const StateVector& vector);

 private:
  static constexpr size_t kEntries = 16;
  struct Entry {
    WorldPtr world;
    StateVector vector = {};
    WorldPtr past;
  };

  Mutex mutex_;
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_REWIND_H_

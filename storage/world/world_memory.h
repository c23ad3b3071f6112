// Remembers the results computed from the last few Worlds, because most readers ask for the same
// World. Thread-safe.
#ifndef STORAGE_WORLD_WORLD_MEMORY_H_
#define STORAGE_WORLD_WORLD_MEMORY_H_

#include <array>
#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "base/sync/mutex.h"

namespace steward::storage {

// `Basis` is a result together with everything that helps to compute the next result. It has the
// members `world`, a pointer to the World that it was computed from, and `map`, a pointer to the
// result that readers get. WorldMemory keeps the newest Basis as a whole, and of older ones only
// world and map.
template <typename Basis>
class WorldMemory {
 public:
  using WorldPtr = decltype(Basis::world);
  using MapPtr = decltype(Basis::map);
  // True only if both Worlds have the same objects. Must be cheap, so false proves nothing.
  using Same = bool (*)(const typename WorldPtr::element_type&,
                        const typename WorldPtr::element_type&);
  // A pure function of the World's objects. `before` is the newest basis, or null. If the new map
  // equals `before->map`, the result should share that pointer.
  using Compute = std::shared_ptr<const Basis> (*)(const WorldPtr& world, const Basis* before);

  WorldMemory(Same same, Compute compute) : same_(same), compute_(compute) {}

  // Returns the map of `world`. If it is not remembered, computes it without holding the lock.
  MapPtr Of(const WorldPtr& world) {
    std::shared_ptr<const Basis> before;
    {
      MutexLock hold(&mutex_);
      if (MapPtr found = Find(*world)) return found;
      before = newest_;
    }
    std::shared_ptr<const Basis> computed = compute_(world, before.get());
    MutexLock hold(&mutex_);
    // Another thread may have been faster. Then its result is used, so that later maps share its
    // parts.
    if (MapPtr found = Find(*world)) return found;
    newest_ = computed;
    entries_[next_] = {computed->world, computed->map};
    next_ = (next_ + 1) % kEntries;
    return computed->map;
  }

 private:
  static constexpr size_t kEntries = 8;

  struct Entry {
    WorldPtr world;
    MapPtr map;
  };

  // Null if no remembered World is the same by same_.
  MapPtr Find(const typename WorldPtr::element_type& world) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (const Entry& entry : entries_) {
      if (entry.world != nullptr && same_(*entry.world, world)) return entry.map;
    }
    return nullptr;
  }

  const Same same_;
  const Compute compute_;
  Mutex mutex_;
  std::shared_ptr<const Basis> newest_ ABSL_GUARDED_BY(mutex_);  // computed last
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest entry
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_MEMORY_H_

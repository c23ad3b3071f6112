// Worlds of the past.
#ifndef STORAGE_WORLD_REWIND_H_
#define STORAGE_WORLD_REWIND_H_

#include <array>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/async/stop_signal.h"
#include "base/sync/mutex.h"
#include "storage/world/world.h"

namespace steward::storage {

// The objects as they were at `vector`, source by source: a state that need never have been
// published here. What the result says of its sources is still the present. Costs the changes that
// are undone, some of them in each turn of the caller's executor: clients choose the vector.
// REQUIRES: world->Knows(vector) == kKnown.
boost::asio::awaitable<WorldPtr> Rewind(WorldPtr world, StateVector vector);

// Remembers the last few: those who watch mostly have the same state, and a list in pages asks for
// the same again and again. Vectors that name the same state are the same here, and of those who
// ask for one that takes long at the same time one rewinds. Thread-safe; holds no lock while it
// rewinds.
class RewindCache {
 public:
  // REQUIRES: as Rewind.
  boost::asio::awaitable<WorldPtr> At(WorldPtr world, StateVector vector);
  // The same, if it is remembered or costs next to nothing; else null.
  WorldPtr AtOnce(const WorldPtr& world, const StateVector& vector);

 private:
  static constexpr size_t kEntries = 16;
  // The revision of each source's first change to undo: what tells states apart.
  using Undone = std::array<uint64_t, kSources>;
  struct Entry {
    WorldPtr world;
    Undone undone = {};
    WorldPtr past;
  };
  // A rewind that takes long.
  struct Flight {
    WorldPtr world;
    Undone undone = {};
    StopSignal landed;  // set when its leader is done
    WorldPtr past;      // written before; null when the leader was cancelled
  };
  class Leader;

  static Undone UndoneAt(const World& world, const StateVector& vector);
  void Remember(const WorldPtr& world, const Undone& undone, const WorldPtr& past)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest
  // At most one for each read and watch that begins.
  std::vector<std::shared_ptr<Flight>> flights_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_REWIND_H_

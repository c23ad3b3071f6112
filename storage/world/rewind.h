// Worlds of the past, computed and remembered. Thread-safe.
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
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// The objects as they were at `vector`, source by source: a state that need never have been
// published here. The SourceStates of the result are still the present ones. Costs as much as the
// changes that are undone, some in each turn of the caller's executor, since clients choose the
// vector. REQUIRES: world->Knows(vector) == kKnown.
boost::asio::awaitable<WorldPtr> Rewind(WorldPtr world, StateVector vector);

// Remembers the last few results: most watches have the same state, and a list in pages asks for
// the same one again and again. Vectors that name the same state share a result, and of several
// calls that need the same long rewind at a time, only one rewinds. Holds no lock while it rewinds.
class RewindCache {
 public:
  // Returns the result of Rewind, and REQUIRES the same.
  boost::asio::awaitable<WorldPtr> At(WorldPtr world, StateVector vector);
  // Returns the same if it is remembered or costs next to nothing; else null.
  WorldPtr AtOnce(const WorldPtr& world, const StateVector& vector);

 private:
  static constexpr size_t kEntries = 16;
  // The revision of each source's first change to undo, by which states are told apart.
  using Undone = std::array<uint64_t, kMaxSources>;
  struct Entry {
    WorldPtr world;
    Undone undone = {};
    WorldPtr past;
  };
  // A rewind that takes long.
  struct Flight {
    WorldPtr world;
    Undone undone = {};
    StopSignal landed;  // set when its owner has ended
    WorldPtr past;      // set before `landed`; null when the owner was cancelled
  };
  class FlightOwner;

  static Undone UndoneAt(const World& world, const StateVector& vector);
  void Remember(const WorldPtr& world, const Undone& undone, const WorldPtr& past)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest entry
  // At most one flight for each read, and for each watch that begins.
  std::vector<std::shared_ptr<Flight>> flights_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_REWIND_H_

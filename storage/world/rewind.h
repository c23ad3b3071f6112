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

// Returns the objects as they were at `vector`, source by source. This replica may never have
// published a World with that state. The result keeps the SourceStates of `world`. The cost grows
// with the number of changes to undo. Clients choose the vector, so Rewind gives other work of the
// executor its turns. REQUIRES: world->Knows(vector) == kKnown.
boost::asio::awaitable<WorldPtr> Rewind(WorldPtr world, StateVector vector);

// Remembers the last few results, because most watches have the same state, and each page of a list
// asks for the same state. Vectors that name the same state share a result. If several calls need
// the same long rewind at a time, one of them rewinds and the others wait for its result. Holds no
// lock while it rewinds.
class RewindCache {
 public:
  // Returns the result of Rewind, and REQUIRES the same.
  boost::asio::awaitable<WorldPtr> At(WorldPtr world, StateVector vector);
  // Returns the result of At if it is remembered or costs next to nothing; else null.
  WorldPtr AtOnce(const WorldPtr& world, const StateVector& vector);

 private:
  static constexpr size_t kEntries = 16;
  // Per source: the revision of the oldest change to undo, or UINT64_MAX if there is none. Equal
  // values mean the same past state.
  using Undone = std::array<uint64_t, kMaxSources>;
  struct Entry {
    WorldPtr world;
    Undone undone = {};
    WorldPtr past;
  };
  // A long rewind that is under way.
  struct Flight {
    WorldPtr world;
    Undone undone = {};
    StopSignal landed;  // set when the call that rewinds (FlightOwner) has ended
    WorldPtr past;      // the result, set before `landed`; null if that call was cancelled
  };
  class FlightOwner;

  static Undone UndoneAt(const World& world, const StateVector& vector);
  void Remember(const WorldPtr& world, const Undone& undone, const WorldPtr& past)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::array<Entry, kEntries> entries_ ABSL_GUARDED_BY(mutex_);
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // the oldest entry
  // The rewinds under way. There is at most one for each read, and for each watch that begins a
  // burst.
  std::vector<std::shared_ptr<Flight>> flights_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_REWIND_H_

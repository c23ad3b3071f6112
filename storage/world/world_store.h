// Holds the newest World. Readers can wait for a newer one. Thread-safe.
#ifndef STORAGE_WORLD_WORLD_STORE_H_
#define STORAGE_WORLD_WORLD_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/sync/mutex.h"
#include "storage/world/number.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// A World and the replica's clock. The clock never goes down, and counts in revisions of etcd
// (kTicks per revision). After each visible change, it is above every clock that was returned
// before.
struct WorldSnapshot {
  WorldPtr world;
  uint64_t clock = 0;  // ticks

  Number number() const { return {clock, Number::kComplete, world->Vector()}; }
};

// Readers hold the mutex only while they copy a WorldSnapshot.
class WorldStore {
 public:
  explicit WorldStore(const SourceSet& sources)
      : sources_(sources), now_{sources.make_empty(), 0} {}

  // The set that the Worlds are made from.
  const SourceSet& sources() const { return sources_; }
  // Never null; before the first sync an empty World that is not synced.
  WorldPtr Current() const { return Now().world; }
  WorldSnapshot Now() const {
    MutexLock lock(&mutex_);
    return now_;
  }
  // Returns Now(), after raising the clock above every revision that the cluster is known to have
  // had. For reads that name no revision, so that their results never look older than a write
  // before them.
  WorldSnapshot Lifted();

  // Makes `world` the current one and wakes all waiters. Called by one writer. REQUIRES: `world` is
  // of sources().
  void Publish(WorldPtr world);
  // Records that the cluster has had this revision.
  void LearnRevision(uint64_t revision);
  // The newest known revision of the cluster, from whatever source.
  uint64_t newest_revision() const {
    MutexLock lock(&mutex_);
    return newest_;
  }

  // Returns the first World, from now on, for which `ready` returns true, or the current one when
  // `timeout` has passed. On the caller's executor. Cancellable.
  boost::asio::awaitable<WorldPtr> WaitUntil(std::function<bool(const World&)> ready,
                                             absl::Duration timeout);
  // Notified of each Publish.
  Broadcast& published() { return published_; }

 private:
  const SourceSet& sources_;
  mutable Mutex mutex_;
  WorldSnapshot now_ ABSL_GUARDED_BY(mutex_);
  uint64_t newest_ ABSL_GUARDED_BY(mutex_) = 0;
  Broadcast published_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_STORE_H_

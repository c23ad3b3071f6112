// Where the newest World is found, and how a reader waits for a newer one.
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
#include "storage/world/world.h"

namespace steward::storage {

// A World and what this replica's clock said. The clock never goes down, reads as a revision of
// etcd, and stands higher with each visible change than in any moment given out before it.
struct Moment {
  WorldPtr world;
  uint64_t clock = 0;  // ticks

  Number number() const { return {clock, Number::kComplete, world->Vector()}; }
};

// Thread-safe. The mutex is held for the copy of one pointer.
class WorldStore {
 public:
  WorldStore() : now_{std::make_shared<const World>(), 0} {}

  // Never null; before the first sync a World that says so.
  WorldPtr Current() const { return Now().world; }
  Moment Now() const {
    MutexLock lock(&mutex_);
    return now_;
  }
  // The same, with the clock lifted above every revision that the cluster is known to have had: for
  // reads that name no revision, so that what they show is never taken for older than what was
  // written before them.
  Moment Lifted();

  // Makes `world` the current one and wakes all waiters. One writer.
  void Publish(WorldPtr world);
  // The cluster has had this revision.
  void LearnRevision(uint64_t revision);
  // The newest that was learnt, by whatever way.
  uint64_t newest_revision() const {
    MutexLock lock(&mutex_);
    return newest_;
  }

  // The first World, from now on, of which `ready` is true; the current one when `timeout` passes
  // before. On the caller's executor. Cancellable.
  boost::asio::awaitable<WorldPtr> WaitUntil(std::function<bool(const World&)> ready,
                                             absl::Duration timeout);
  // Told of each Publish.
  Broadcast& published() { return published_; }

 private:
  mutable Mutex mutex_;
  Moment now_ ABSL_GUARDED_BY(mutex_);
  uint64_t newest_ ABSL_GUARDED_BY(mutex_) = 0;
  Broadcast published_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_STORE_H_

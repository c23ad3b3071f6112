// Where the newest World is found, and how a reader waits for a newer one.
#ifndef STORAGE_WORLD_WORLD_STORE_H_
#define STORAGE_WORLD_WORLD_STORE_H_

#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/sync/mutex.h"
#include "storage/world/world.h"

namespace steward::storage {

// Thread-safe. The mutex is held for the copy of one pointer.
class WorldStore {
 public:
  WorldStore() : current_(std::make_shared<const World>()) {}

  // Never null; before the first sync a World that says so.
  WorldPtr Current() const {
    MutexLock lock(&mutex_);
    return current_;
  }

  // Makes `world` the current one and wakes all waiters. One writer.
  void Publish(WorldPtr world) {
    {
      MutexLock lock(&mutex_);
      current_ = std::move(world);
    }
    published_.Notify();
  }

  // The first World, from now on, of which `ready` is true; the current one when `timeout` passes
  // before. On the caller's executor. Cancellable.
  boost::asio::awaitable<WorldPtr> WaitUntil(std::function<bool(const World&)> ready,
                                             absl::Duration timeout);

 private:
  mutable Mutex mutex_;
  WorldPtr current_ ABSL_GUARDED_BY(mutex_);
  Broadcast published_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_STORE_H_

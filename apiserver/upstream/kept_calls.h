// Keeps the calls that gRPC has begun and not ended. Thread-safe.
#ifndef APISERVER_UPSTREAM_KEPT_CALLS_H_
#define APISERVER_UPSTREAM_KEPT_CALLS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "base/sync/mutex.h"

namespace steward::upstream {

// A call holds a reference to its grpc::Channel, whose destructor may wait for the very thread that
// ends calls: on that thread it would wait for itself. So a call is destroyed by its caller's
// thread, or by the thread that calls Close, and never by gRPC. The callbacks of all calls share
// this object.
class KeptCalls {
 public:
  // Holds a call that is about to begin; destroys those that have ended.
  void Keep(std::shared_ptr<void> call);
  // Called by gRPC's thread, which no longer uses the call.
  void Ended(const void* call);
  // Destroys the calls that have ended.
  void Reap();
  // Blocks until all calls have ended, and destroys them. REQUIRES: all were cancelled or will end
  // by themselves; no further call begins; not on gRPC's threads.
  void Close();

 private:
  Mutex mutex_;
  std::atomic<size_t> running_ = 0;
  absl::flat_hash_map<const void*, std::shared_ptr<void>> calls_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<void>> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_KEPT_CALLS_H_

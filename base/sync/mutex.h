// The project's mutex. Clang's thread-safety analysis and ThreadSanitizer understand it. The
// absl::Mutex of a system library that was built without ThreadSanitizer would make it report each
// use as a race.
#ifndef BASE_SYNC_MUTEX_H_
#define BASE_SYNC_MUTEX_H_

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace steward {

// Not recursive.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Locks a mutex as long as this object lives. Must not live across a co_await.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace steward

#endif  // BASE_SYNC_MUTEX_H_

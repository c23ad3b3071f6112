// The project's mutex. It is annotated for clang's thread-safety analysis and visible to
// ThreadSanitizer, whereas the absl::Mutex of a system library built without it is not: every use
// would be reported as a race.
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

// A lock on a mutex for as long as it lives. Never held over a co_await.
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

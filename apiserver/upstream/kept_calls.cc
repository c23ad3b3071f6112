#include "apiserver/upstream/kept_calls.h"

#include <utility>

namespace steward::upstream {

void KeptCalls::Keep(std::shared_ptr<void> call) {
  Reap();
  running_.fetch_add(1);
  const void* key = call.get();
  MutexLock lock(&mutex_);
  calls_.emplace(key, std::move(call));
}

void KeptCalls::Ended(const void* call) {
  {
    MutexLock lock(&mutex_);
    const auto found = calls_.find(call);
    ended_.push_back(std::move(found->second));
    calls_.erase(found);
  }
  running_.fetch_sub(1);
  running_.notify_all();
}

void KeptCalls::Reap() {
  std::vector<std::shared_ptr<void>> ended;
  {
    MutexLock lock(&mutex_);
    ended.swap(ended_);
  }
  // The ended calls are destroyed here, after the lock was released.
}

void KeptCalls::Close() {
  for (size_t running = running_.load(); running != 0; running = running_.load()) {
    running_.wait(running);
  }
  Reap();
}

}  // namespace steward::upstream

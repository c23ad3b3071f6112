// The waiting times of keys before they are tried again. Not thread-safe.
#ifndef CONTROLLERS_RUNTIME_QUEUE_RATE_LIMITER_H_
#define CONTROLLERS_RUNTIME_QUEUE_RATE_LIMITER_H_

#include <map>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// The name of an item in a queue.
using Key = kube::NamespacedName;

struct RateLimits {
  // For one key: the wait after its first failure, doubled by each further one.
  absl::Duration initial = absl::Milliseconds(5);
  absl::Duration max = absl::Minutes(1);
  // For all keys together: a bucket of `burst` retries that refills at this rate.
  double per_second = 10;
  double burst = 100;
};

// Both limits apply: the longer wait counts. Keeps one count for each key that failed and was not
// forgotten since.
class RateLimiter {
 public:
  // REQUIRES: positive limits; `clock` outlives this object.
  RateLimiter(RateLimits limits, Clock& clock);

  // Counts a failure of `key`, and returns the time to wait.
  absl::Duration Next(const Key& key);
  // Called when the key succeeded, or is gone.
  void Forget(const Key& key) { failures_.erase(key); }
  int failures(const Key& key) const;

 private:
  absl::Duration TakeFromBucket();

  const RateLimits limits_;
  Clock& clock_;
  std::map<Key, int> failures_;
  double tokens_;  // below zero: granted in advance
  absl::Duration filled_at_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_QUEUE_RATE_LIMITER_H_

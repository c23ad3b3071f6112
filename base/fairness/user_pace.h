// The pace of work by user: so much at once, and then so much per second. Thread-safe.
#ifndef BASE_FAIRNESS_USER_PACE_H_
#define BASE_FAIRNESS_USER_PACE_H_

#include <cstddef>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/cache/expiring_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

namespace steward {

// A token bucket for each user, at which tasks wait in the order of their calls.
class UserPace {
 public:
  struct Limits {
    double per_second = 100;
    double burst = 500;
    // The number of most recent users whose buckets are remembered; other buckets count as full.
    size_t users = 1024;
  };

  // REQUIRES: positive limits; `clock` outlives this object and its calls.
  UserPace(Clock& clock, Limits limits) : clock_(clock), limits_(limits), buckets_(limits.users) {}

  // Returns when the user may do one more piece of work. A cancelled call uses up its token all the
  // same.
  VoidTask Take(std::string user);

 private:
  struct Bucket {
    double filled = 0;  // tokens; -n = n tasks wait
    absl::Time at;
  };

  // Takes a token, and returns how long to wait until it is there.
  absl::Duration TakeOne(const std::string& user);

  Clock& clock_;
  const Limits limits_;
  Mutex mutex_;
  ExpiringCache<Bucket> buckets_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_FAIRNESS_USER_PACE_H_

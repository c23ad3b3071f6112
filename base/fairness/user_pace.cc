#include "base/fairness/user_pace.h"

#include <algorithm>
#include <optional>

namespace steward {

absl::Duration UserPace::TakeOne(const std::string& user) {
  MutexLock lock(&mutex_);
  // Read under the lock, so that times never go back from one call to the next: ExpiringCache would
  // take that for a clock that was set back, and drop all buckets.
  const absl::Time now = clock_.Now();
  Bucket bucket{limits_.burst, now};
  if (const std::optional<Bucket> before = buckets_.Get(user, now)) {
    const double gained = absl::ToDoubleSeconds(now - before->at) * limits_.per_second;
    bucket.filled = std::min(limits_.burst, before->filled + gained);
  }
  bucket.filled -= 1;
  // After this time the bucket is full.
  const absl::Duration memory = absl::Seconds((limits_.burst - bucket.filled) / limits_.per_second);
  buckets_.Put(user, bucket, now, memory);
  return absl::Seconds(std::max(0.0, -bucket.filled / limits_.per_second));
}

VoidTask UserPace::Take(std::string user) {
  const absl::Duration wait = TakeOne(user);
  if (wait > absl::ZeroDuration()) co_await clock_.Sleep(wait);
}

}  // namespace steward

#include "apiserver/filters/fairness/source_rate.h"

#include <algorithm>
#include <optional>

namespace steward::filters {

bool SourceRate::Take(const std::string& source) {
  MutexLock lock(&mutex_);
  // The clock is read under the lock. Else `now` could be before a bucket's time, which buckets_
  // would take for a clock that was set back.
  const absl::Time now = clock_.Now();
  const std::optional<Bucket> before = buckets_.Get(source, now);
  Bucket bucket{limits_.burst, now};
  if (before) {
    const double gained = absl::ToDoubleSeconds(now - before->at) * limits_.per_second;
    bucket.filled = std::min(limits_.burst, before->filled + gained);
  }
  const bool allowed = bucket.filled >= 1;
  if (allowed) bucket.filled -= 1;
  // After this time the bucket is full.
  const absl::Duration memory = absl::Seconds(limits_.burst / limits_.per_second);
  buckets_.Put(source, bucket, now, memory);
  return allowed;
}

}  // namespace steward::filters

// A rate limit for each source of strangers' requests. Thread-safe.
#ifndef APISERVER_FILTERS_FAIRNESS_SOURCE_RATE_H_
#define APISERVER_FILTERS_FAIRNESS_SOURCE_RATE_H_

#include <cstddef>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "base/cache/expiring_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

namespace steward::filters {

// A token bucket for each source.
class SourceRate {
 public:
  struct Limits {
    double per_second = 20;
    double burst = 200;
    // The number of buckets that are remembered: those of the sources used last. All other buckets
    // count as full.
    size_t sources = 4096;
  };

  // REQUIRES: positive limits; `clock` outlives this object.
  SourceRate(Clock& clock, Limits limits)
      : clock_(clock), limits_(limits), buckets_(limits.sources) {}

  // False when the source exceeds its rate.
  bool Take(const std::string& source);

 private:
  struct Bucket {
    double filled = 0;
    absl::Time at;
  };

  Clock& clock_;
  const Limits limits_;
  Mutex mutex_;
  ExpiringCache<Bucket> buckets_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_FAIRNESS_SOURCE_RATE_H_

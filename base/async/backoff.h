// Exponential backoff with jitter. Not thread-safe.
#ifndef BASE_ASYNC_BACKOFF_H_
#define BASE_ASYNC_BACKOFF_H_

#include <algorithm>

#include "absl/time/time.h"
#include "base/clock/clock.h"

namespace steward {

struct BackoffOptions {
  absl::Duration initial = absl::Milliseconds(200);
  absl::Duration max = absl::Seconds(30);
  double factor = 2.0;
  // Each delay is multiplied by a uniform number in [1, 1 + jitter).
  double jitter = 0.5;
};

class Backoff {
 public:
  Backoff(BackoffOptions options, Random& random) : options_(options), random_(random) { Reset(); }

  // The delay before the next attempt. Each call returns a longer delay than the one before, up to
  // `max`.
  absl::Duration Next() {
    const absl::Duration delay = next_;
    next_ = std::min(next_ * options_.factor, options_.max);
    return delay * (1.0 + options_.jitter * random_.Uniform());
  }
  void Reset() { next_ = options_.initial; }

 private:
  const BackoffOptions options_;
  Random& random_;
  absl::Duration next_;
};

}  // namespace steward

#endif  // BASE_ASYNC_BACKOFF_H_

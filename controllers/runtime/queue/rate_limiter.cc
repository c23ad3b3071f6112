#include "controllers/runtime/queue/rate_limiter.h"

#include <algorithm>

namespace steward::controllers {

RateLimiter::RateLimiter(RateLimits limits, Clock& clock)
    : limits_(limits), clock_(clock), tokens_(limits.burst), filled_at_(clock.Monotonic()) {}

absl::Duration RateLimiter::TakeFromBucket() {
  const absl::Duration now = clock_.Monotonic();
  tokens_ += absl::ToDoubleSeconds(now - filled_at_) * limits_.per_second;
  tokens_ = std::min(tokens_, limits_.burst);
  filled_at_ = now;
  tokens_ -= 1;
  return tokens_ >= 0 ? absl::ZeroDuration() : absl::Seconds(-tokens_ / limits_.per_second);
}

absl::Duration RateLimiter::Next(const Key& key) {
  const int failures = failures_[key]++;
  // More doublings would exceed any limit.
  constexpr int kMaxDoublings = 62;
  absl::Duration own = limits_.initial;
  for (int i = 0; i < std::min(failures, kMaxDoublings) && own < limits_.max; ++i) own *= 2;
  return std::max(std::min(own, limits_.max), TakeFromBucket());
}

int RateLimiter::failures(const Key& key) const {
  const auto it = failures_.find(key);
  return it == failures_.end() ? 0 : it->second;
}

}  // namespace steward::controllers

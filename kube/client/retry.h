// The rules for repeating one request. Not thread-safe.
#ifndef KUBE_CLIENT_RETRY_H_
#define KUBE_CLIENT_RETRY_H_

#include <optional>

#include "absl/time/time.h"
#include "base/async/backoff.h"
#include "base/clock/clock.h"

namespace steward::kube {

// The rules:
//  - 429: the server asks for a retry and has not acted; at most 5 tries, each wait at least as
//    long as the server asked;
//  - any 5xx with a Retry-After: likewise, but only for requests that read, as a gateway or a
//    server whose storage timed out may have acted;
//  - 500, 502, 503, 504 without Retry-After: at most 3 tries, only for requests that read;
//  - every other answer is final.
// The server's wait is stretched by the jitter, too, so that refused clients do not return
// together.
class RetryPolicy {
 public:
  static constexpr int kMaxTriesAsked = 5;
  static constexpr int kMaxTriesUnasked = 3;

  // REQUIRES: `random` outlives the policy.
  explicit RetryPolicy(Random& random) : random_(random), backoff_(BackoffOptions{}, random) {}

  // Called after each answer that is not a success. Returns the wait before the next try, or
  // nullopt when the answer is final. `retry_after` zero = the answer had none.
  std::optional<absl::Duration> Next(int http_code, absl::Duration retry_after, bool read_only);

 private:
  Random& random_;
  Backoff backoff_;
  int tries_ = 0;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_RETRY_H_

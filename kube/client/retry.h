// When a request is sent again.
#ifndef KUBE_CLIENT_RETRY_H_
#define KUBE_CLIENT_RETRY_H_

#include <optional>

#include "absl/time/time.h"
#include "base/async/backoff.h"
#include "base/clock/clock.h"

namespace steward::kube {

// The rules for one request:
//  - 429: the server asks for it and has not acted; at most 5 tries, each wait at least the one
//    that it named;
//  - any 5xx that names a Retry-After: likewise, but of requests that only read, as a gateway or a
//    server whose storage timed out may have acted;
//  - 500, 502, 503, 504 without Retry-After: at most 3 tries, of requests that only read;
//  - everything else stands.
// The server's wait is stretched by the jitter too, so that turned-away clients do not return
// together. Not thread-safe.
class RetryPolicy {
 public:
  static constexpr int kMaxTriesAsked = 5;
  static constexpr int kMaxTriesUnasked = 3;

  // REQUIRES: `random` outlives the policy.
  explicit RetryPolicy(Random& random) : random_(random), backoff_(BackoffOptions{}, random) {}

  // Called after each answer that is not a success: the wait before the next try, or nullopt when
  // the answer stands. `retry_after` zero = none was named.
  std::optional<absl::Duration> Next(int http_code, absl::Duration retry_after, bool read_only);

 private:
  Random& random_;
  Backoff backoff_;
  int tries_ = 0;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_RETRY_H_

#include "kube/client/retry.h"

#include <algorithm>

namespace steward::kube {

std::optional<absl::Duration> RetryPolicy::Next(int http_code, absl::Duration retry_after,
                                                bool read_only) {
  ++tries_;
  const bool server_error = http_code >= 500 && http_code <= 599;
  const bool asked =
      http_code == 429 || (server_error && read_only && retry_after > absl::ZeroDuration());
  const bool transient =
      http_code == 500 || http_code == 502 || http_code == 503 || http_code == 504;
  int max_tries = 1;
  if (asked) {
    max_tries = kMaxTriesAsked;
  } else if (transient && read_only) {
    max_tries = kMaxTriesUnasked;
  }
  if (tries_ >= max_tries) return std::nullopt;
  const double stretch = 1.0 + 0.2 * random_.Uniform();
  return std::max(backoff_.Next(), retry_after * stretch);
}

}  // namespace steward::kube

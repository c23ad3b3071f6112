// When the certificates end that a process serves with.
#ifndef BASE_METRICS_SERVING_EXPIRY_H_
#define BASE_METRICS_SERVING_EXPIRY_H_

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <string>

#include "absl/time/time.h"

namespace steward {

// steward_serving_certificate_expiration_timestamp_seconds{serves}, in seconds since 1970. Copies
// are of the same series. Thread-safe.
class ServingExpiry {
 public:
  // `serves`: what the certificate is for, a short word. The registry outlives this object.
  ServingExpiry(prometheus::Registry& registry, const std::string& serves);
  void Set(absl::Time expiry) const;

 private:
  prometheus::Gauge* gauge_;
};

}  // namespace steward

#endif  // BASE_METRICS_SERVING_EXPIRY_H_

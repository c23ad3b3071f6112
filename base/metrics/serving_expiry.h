// The metric for the expiry of the certificates that a process serves with. Thread-safe.
#ifndef BASE_METRICS_SERVING_EXPIRY_H_
#define BASE_METRICS_SERVING_EXPIRY_H_

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <string>

#include "absl/time/time.h"

namespace steward {

// steward_serving_certificate_expiration_timestamp_seconds{serves}, in seconds since 1970. Copies
// set the same series.
class ServingExpiry {
 public:
  // `serves` is a short word for the purpose of the certificate. The registry outlives this object.
  ServingExpiry(prometheus::Registry& registry, const std::string& serves);
  void Set(absl::Time expiry) const;

 private:
  prometheus::Gauge* gauge_;
};

}  // namespace steward

#endif  // BASE_METRICS_SERVING_EXPIRY_H_

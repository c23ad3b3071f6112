#include "base/metrics/serving_expiry.h"

#include "base/metrics/families.h"

namespace steward {

ServingExpiry::ServingExpiry(prometheus::Registry& registry, const std::string& serves)
    : gauge_(&GaugeFamily(registry, "steward_serving_certificate_expiration_timestamp_seconds",
                          "When the certificate ends that is served with, in seconds since 1970.")
                  .Add({{"serves", serves}})) {}

void ServingExpiry::Set(absl::Time expiry) const {
  gauge_->Set(absl::ToDoubleSeconds(expiry - absl::UnixEpoch()));
}

}  // namespace steward

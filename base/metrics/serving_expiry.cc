#include "base/metrics/serving_expiry.h"

namespace steward {

ServingExpiry::ServingExpiry(prometheus::Registry& registry, const std::string& serves)
    : gauge_(&prometheus::BuildGauge()
                  .Name("steward_serving_certificate_expiration_timestamp_seconds")
                  .Help("When the certificate ends that is served with, in seconds since 1970.")
                  .Register(registry)
                  .Add({{"serves", serves}})) {}

void ServingExpiry::Set(absl::Time expiry) const {
  gauge_->Set(absl::ToDoubleSeconds(expiry - absl::UnixEpoch()));
}

}  // namespace steward

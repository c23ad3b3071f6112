#include "apiserver/filters/authentication/authentication_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "base/metrics/families.h"

namespace steward::filters {
namespace {

// The bounds of Kubernetes: from minutes to a year.
const prometheus::Histogram::BucketBoundaries& ExpirationBuckets() {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      0,        kHour / 2, kHour,    2 * kHour, 6 * kHour, 12 * kHour, kDay,
      2 * kDay, 4 * kDay,  7 * kDay, 30 * kDay, 90 * kDay, 180 * kDay, 360 * kDay};
  return buckets;
}

}  // namespace

struct AuthenticationMetrics::Impl {
  explicit Impl(prometheus::Registry& registry)
      : attempts(CounterFamily(registry, "authentication_attempts",
                               "Requests whose credentials were looked at, by what came of it.")),
        success(attempts.Add({{"result", "success"}})),
        failure(attempts.Add({{"result", "failure"}})),
        error(attempts.Add({{"result", "error"}})),
        expiration(HistogramFamily(registry, "apiserver_client_certificate_expiration_seconds",
                                   "How long the certificates of clients will still be valid.")
                       .Add({}, ExpirationBuckets())) {}
  prometheus::Family<prometheus::Counter>& attempts;
  prometheus::Counter& success;
  prometheus::Counter& failure;
  prometheus::Counter& error;
  prometheus::Histogram& expiration;
};

AuthenticationMetrics::AuthenticationMetrics(prometheus::Registry& registry)
    : impl_(std::make_unique<Impl>(registry)) {}
AuthenticationMetrics::~AuthenticationMetrics() = default;

void AuthenticationMetrics::ObserveAttempt(const absl::Status& result) {
  if (result.ok()) {
    impl_->success.Increment();
  } else if (absl::IsUnauthenticated(result)) {
    impl_->failure.Increment();
  } else {
    impl_->error.Increment();
  }
}

void AuthenticationMetrics::ObserveCertificate(absl::Duration remaining) {
  impl_->expiration.Observe(absl::ToDoubleSeconds(remaining));
}

}  // namespace steward::filters

#include "controllers/certificates/known_metrics_token.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/certificates/certificates.h"
#include "controllers/certificates/metrics_token.h"
#include "controllers/families.h"

namespace steward::controllers {
namespace {

void AddFlags(FlagAdder& adder, FlagValues& values) {
  adder.Duration("--metrics-token-life", values.Of<MetricsTokenTerms>().life,
                 "Life of the token that reads metrics; it is replaced when half of it is over");
}

absl::Status CheckFlags(const FlagValues& values, bool) {
  // The kube-apiserver makes none that ends sooner.
  if (values.Get<MetricsTokenTerms>().life < absl::Minutes(10)) {
    return absl::InvalidArgumentError("--metrics-token-life: at least 10m");
  }
  return absl::OkStatus();
}

}  // namespace

KnownReconciler KnownMetricsToken() {
  KnownReconciler known;
  known.options.name = "metrics-token";
  known.options.limits.initial = absl::Seconds(1);
  known.options.limits.max = absl::Seconds(30);
  known.family = kCertificatesFamily;
  known.add_flags = AddFlags;
  known.check_flags = CheckFlags;
  known.prepare = [](const FlagValues& values, prometheus::Registry&) -> ReconcilerFactory {
    auto terms = values.Get<MetricsTokenTerms>();
    terms.ns = values.Get<CertificateTerms>().ns;
    return [terms](const ReconcilerDeps& deps) {
      return std::make_unique<MetricsTokenReconciler>(deps, terms);
    };
  };
  return known;
}

}  // namespace steward::controllers

#include "controllers/certificates/known_certificates.h"

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
  auto& given = values.Of<CertificateTerms>();
  adder.Text("--certificates-namespace", given.ns,
             "Namespace of the Secrets with Steward's certificates");
  adder.Switch("--certificates-serving", given.serving,
               "Make the API servers' certificate, and tell the kube-apiserver whom to trust. Off: "
               "somebody else does");
  adder.Duration("--certificate-life", given.life,
                 "Life of a certificate; it is replaced when two thirds are over");
  adder.Duration("--authority-life", given.authority.life,
                 "Life of the authority's root; the next one is made when two thirds are over");
  adder.Duration("--authority-overlap", given.authority.overlap,
                 "How long a new root is trusted before it signs");
}

absl::Status CheckFlags(const FlagValues& values, bool) {
  const auto given = values.Get<CertificateTerms>();
  if (given.ns.empty()) {
    return absl::InvalidArgumentError("--certificates-namespace: must not be empty");
  }
  if (given.life < absl::Minutes(1)) {
    return absl::InvalidArgumentError("--certificate-life: at least 1m");
  }
  if (given.authority.life < 3 * given.life) {
    return absl::InvalidArgumentError("--authority-life: at least three times --certificate-life");
  }
  if (given.authority.overlap < absl::ZeroDuration() ||
      given.authority.overlap > given.authority.life / 6) {
    return absl::InvalidArgumentError(
        "--authority-overlap: at least 0, and at most a sixth of --authority-life");
  }
  return absl::OkStatus();
}

void AddTokenFlags(FlagAdder& adder, FlagValues& values) {
  adder.Duration("--metrics-token-life", values.Of<MetricsTokenTerms>().life,
                 "Life of the token that reads metrics; it is replaced when half of it is over");
}

absl::Status CheckTokenFlags(const FlagValues& values, bool) {
  // The kube-apiserver issues no tokens with a shorter life.
  if (values.Get<MetricsTokenTerms>().life < absl::Minutes(10)) {
    return absl::InvalidArgumentError("--metrics-token-life: at least 10m");
  }
  return absl::OkStatus();
}

}  // namespace

KnownReconciler KnownCertificates() {
  KnownReconciler known;
  known.options.name = "certificates";
  known.options.limits.initial = absl::Seconds(1);
  known.options.limits.max = absl::Seconds(30);
  known.family = kCertificatesFamily;
  known.add_flags = AddFlags;
  known.check_flags = CheckFlags;
  known.prepare = PrepareReconciler<CertificatesReconciler, CertificateMetrics, CertificateTerms>;
  return known;
}

KnownReconciler KnownMetricsToken() {
  KnownReconciler known;
  known.options.name = "metrics-token";
  known.options.limits.initial = absl::Seconds(1);
  known.options.limits.max = absl::Seconds(30);
  known.family = kCertificatesFamily;
  known.add_flags = AddTokenFlags;
  known.check_flags = CheckTokenFlags;
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

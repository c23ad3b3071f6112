#include "controllers/apiservice_guard/known_apiservice_guard.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/apiservice_guard/apiservice_guard.h"
#include "controllers/apiservice_guard/tls_dialer.h"
#include "controllers/families.h"

namespace steward::controllers {
namespace {

void AddFlags(FlagAdder& adder, FlagValues& values) {
  auto& given = values.Of<GuardTerms>();
  adder.Switch(
      "--apiservice-guard", given.on,
      "Withdraw the APIService while nobody serves it. Off: nothing is withdrawn, and what "
      "was is restored");
  adder.Duration("--apiservice-guard-grace", given.grace,
                 "How long the APIService may be unavailable; it is withdrawn when seven eighths "
                 "of it are over");
  adder.Text("--apiservice-guard-namespace", given.ns,
             "Namespace of the ConfigMap that records what was withdrawn");
}

absl::Status CheckFlags(const FlagValues& values, bool) {
  const auto given = values.Get<GuardTerms>();
  if (given.grace < absl::Seconds(10)) {
    return absl::InvalidArgumentError("--apiservice-guard-grace: at least 10s");
  }
  if (given.ns.empty()) {
    return absl::InvalidArgumentError("--apiservice-guard-namespace: must not be empty");
  }
  return absl::OkStatus();
}

}  // namespace

KnownReconciler KnownApiServiceGuard() {
  KnownReconciler known;
  known.options.name = "apiservice-guard";
  known.options.limits.initial = absl::Seconds(1);
  // No longer than a look that finds nothing: it is there for clusters that are not well.
  known.options.limits.max = absl::Seconds(5);
  known.family = kApiServiceGuardFamily;
  known.add_flags = AddFlags;
  known.check_flags = CheckFlags;
  known.prepare = [](const FlagValues& values,
                     prometheus::Registry& registry) -> ReconcilerFactory {
    const auto given = values.Get<GuardTerms>();
    const auto metrics = std::make_shared<GuardMetrics>(registry);
    const auto dialer = std::make_shared<TlsDialer>(Clock::Real(), Random::Real());
    return [given, metrics, dialer](const ReconcilerDeps& deps) {
      return std::make_unique<ApiServiceGuard>(deps, *metrics, *dialer, given);
    };
  };
  return known;
}

}  // namespace steward::controllers

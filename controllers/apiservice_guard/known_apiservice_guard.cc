#include "controllers/apiservice_guard/known_apiservice_guard.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/apiservice_guard/apiservice_guard.h"
#include "controllers/apiservice_guard/apiservice_removal.h"
#include "controllers/apiservice_guard/ca_source.h"
#include "controllers/apiservice_guard/tls_dialer.h"
#include "controllers/families.h"

namespace steward::controllers {
namespace {

struct GuardFlags {
  bool on = true;
  absl::Duration grace = absl::Minutes(2);
  std::string ns = "steward-system";
  std::string ca = CaSource().ToString();
  std::vector<std::string> annotations;
  int port = 443;
};

void AddFlags(FlagAdder& adder, FlagValues& values) {
  auto& given = values.Of<GuardFlags>();
  adder.Switch(
      "--apiservice-guard", given.on,
      "Withdraw the APIService while nobody serves it. Off: nothing is withdrawn, and what "
      "was is restored");
  adder.Duration("--apiservice-guard-grace", given.grace,
                 "How long the APIService may be unavailable; it is withdrawn when seven eighths "
                 "of it are over");
  adder.Text("--apiservice-guard-namespace", given.ns,
             "Namespace of the API servers, and of the ConfigMap that records what was withdrawn");
  adder.Text("--apiservice-guard-ca", given.ca,
             "Where the authority of the API servers' certificate is read, in that namespace: "
             "secrets/NAME/KEY or configmaps/NAME/KEY");
  adder.List("--apiservice-guard-annotations", given.annotations,
             "Annotations of the APIService that is registered, KEY=VALUE: for whoever injects an "
             "authority");
  adder.Number("--apiservice-guard-port", given.port, 1, UINT16_MAX,
               "Port of the API servers' Service");
}

absl::StatusOr<GuardTerms> TermsOf(const GuardFlags& given) {
  GuardTerms terms;
  if (given.grace < absl::Seconds(10)) {
    return absl::InvalidArgumentError("--apiservice-guard-grace: at least 10s");
  }
  if (given.ns.empty()) {
    return absl::InvalidArgumentError("--apiservice-guard-namespace: must not be empty");
  }
  absl::StatusOr<CaSource> ca = CaSource::Parse(given.ca);
  if (!ca.ok()) {
    return absl::InvalidArgumentError(
        StrCat("--apiservice-guard-ca: ", ToStd(ca.status().message())));
  }
  for (const std::string& each : given.annotations) {
    const size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          StrCat("--apiservice-guard-annotations: '", each, "' is not KEY=VALUE"));
    }
    terms.wanted.annotations[each.substr(0, equals)] = each.substr(equals + 1);
  }
  terms.on = given.on;
  terms.grace = given.grace;
  terms.ca = *std::move(ca);
  terms.wanted.ns = given.ns;
  terms.wanted.port = static_cast<uint16_t>(given.port);
  return terms;
}

}  // namespace

KnownReconciler KnownApiServiceGuard() {
  KnownReconciler known;
  known.options.name = "apiservice-guard";
  known.options.limits.initial = absl::Seconds(1);
  // Retry at least as often as the guard looks, because it is made for clusters in trouble.
  known.options.limits.max = absl::Seconds(5);
  known.family = kApiServiceGuardFamily;
  known.add_flags = AddFlags;
  known.check_flags = [](const FlagValues& values, bool) {
    return TermsOf(values.Get<GuardFlags>()).status();
  };
  known.prepare = [](const FlagValues& values,
                     prometheus::Registry& registry) -> ReconcilerFactory {
    // The flags were checked before.
    const GuardTerms terms = *TermsOf(values.Get<GuardFlags>());
    const auto metrics = std::make_shared<GuardMetrics>(registry);
    const auto dialer = std::make_shared<TlsDialer>(Clock::Real(), Random::Real());
    return [terms, metrics, dialer](const ReconcilerDeps& deps) {
      return std::make_unique<ApiServiceGuard>(deps, *metrics, *dialer, terms);
    };
  };
  return known;
}

KnownReconciler KnownApiServiceRemoval() {
  KnownReconciler known;
  known.options.name = "apiservice-removal";
  known.options.limits.initial = absl::Milliseconds(100);
  // Retry soon, because this reconciler's ServiceAccount may be deleted at any moment.
  known.options.limits.max = absl::Seconds(1);
  known.family = kApiServiceGuardFamily;
  known.elected = false;
  known.prepare = [](const FlagValues& values, prometheus::Registry&) -> ReconcilerFactory {
    return [ns = values.Get<GuardFlags>().ns](const ReconcilerDeps& deps) {
      return std::make_unique<ApiServiceRemoval>(deps, ns);
    };
  };
  return known;
}

}  // namespace steward::controllers

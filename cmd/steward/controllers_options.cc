#include "cmd/steward/controllers_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/tls_flags.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/monitoring_options.h"
#include "cmd/steward/reconciler_names.h"
#include "controllers/runtime/election/lease_elector.h"
#include "kube/audit/options.h"
#include "kube/meta/names.h"

namespace steward {
namespace {

using controllers::KnownReconciler;

// The options, and flags that are checked when all flags have been read.
struct Given {
  ControllersOptions options;
  const CLI::Option* lease_name = nullptr;  // of the app
  std::string feature_gates;
  TlsFlags tls;
};

// Binds flags to their values.
class Flags : private FlagAdder {
 public:
  Flags(CLI::App& app, const std::vector<KnownReconciler>& known,
        const std::vector<FeatureGate>& gates, Given& given)
      : FlagAdder(app),
        app_(app),
        known_(known),
        gates_(FeatureGates(gates).Help()),
        given_(given),
        options_(given.options) {}

  void AddAll() {
    Text("--kubeconfig", options_.kubeconfig,
         "kubeconfig of the cluster to work on; empty: the cluster this process runs in");
    Verbosity(options_.verbosity);
    LoggingFormat(options_.logging_format);
    List("--reconcilers", options_.reconcilers,
         StrCat("Reconcilers to run, any of: ", NamesOf(known_)));
    AddElection();
    for (const KnownReconciler& known : known_) {
      if (known.add_flags != nullptr) known.add_flags(*this, options_.reconciler_flags);
    }
    AddTakeover();
    Text("--feature-gates", given_.feature_gates, gates_);
    AddTlsFlags(app_, given_.tls);
    AddMonitoringFlags(app_, options_.monitoring);
    AddGrpcFlags(app_, options_.grpc);
    audit::AddFlags(app_, options_.audit_log);
  }

 private:
  // Adds --takeover only if some reconciler conflicts with OLM.
  void AddTakeover() {
    std::vector<KnownReconciler> conflicting;
    for (const KnownReconciler& known : known_) {
      if (!known.conflicts_with.empty()) conflicting.push_back(known);
    }
    if (conflicting.empty()) return;
    Switch("--takeover", options_.takeover,
           StrCat("Run these reconcilers although OLM's operator that does the same work runs: ",
                  NamesOf(conflicting)));
  }
  void AddElection() {
    Switch("--leader-elect", options_.leader_elect,
           "Work only while holding the Lease; without, run one process only");
    given_.lease_name = Text("--leader-elect-lease-name", options_.lease_name, "Name of the Lease");
    Text("--leader-elect-lease-namespace", options_.lease_namespace, "Namespace of the Lease");
    Duration("--leader-elect-lease-duration", options_.lease_duration,
             "How long others wait, after the last renewal they saw, before they take over; whole "
             "seconds");
    Duration("--leader-elect-renew-deadline", options_.renew_deadline,
             "How long after its last renewal a leader goes on; shorter than the lease duration");
    Duration("--leader-elect-retry-period", options_.retry_period,
             "How often the leader renews, and others look");
  }

  CLI::App& app_;
  const std::vector<KnownReconciler>& known_;
  const std::string gates_;
  Given& given_;
  ControllersOptions& options_;
};

bool Runs(const ControllersOptions& options, const KnownReconciler& reconciler) {
  const auto& names = options.reconcilers;
  return std::find(names.begin(), names.end(), reconciler.options.name) != names.end();
}

absl::Status CheckReconcilers(const ControllersOptions& options,
                              const std::vector<KnownReconciler>& known) {
  RETURN_IF_ERROR(CheckReconcilerNames(options.reconcilers, known));
  for (const KnownReconciler& reconciler : known) {
    if (reconciler.check_flags == nullptr) continue;
    RETURN_IF_ERROR(reconciler.check_flags(options.reconciler_flags, Runs(options, reconciler)));
  }
  return absl::OkStatus();
}

// The first of the known reconcilers that is selected, or null.
const KnownReconciler* FirstOf(const ControllersOptions& options,
                               const std::vector<KnownReconciler>& known) {
  for (const KnownReconciler& reconciler : known) {
    if (Runs(options, reconciler)) return &reconciler;
  }
  return nullptr;
}

// Refuses reconcilers of different families under one Lease: a process of the other family would
// use its own Lease, and the same reconciler would run twice.
absl::Status CheckFamilies(const ControllersOptions& options,
                           const std::vector<KnownReconciler>& known) {
  if (!options.leader_elect) return absl::OkStatus();
  const KnownReconciler& first = *FirstOf(options, known);
  for (const KnownReconciler& reconciler : known) {
    if (reconciler.family.name == first.family.name || !Runs(options, reconciler)) continue;
    return absl::InvalidArgumentError(
        StrCat("--reconcilers: ", first.options.name, " and ", reconciler.options.name,
               " are of different families (", first.family.name, ", ", reconciler.family.name,
               "): run a process for each, or one alone with --leader-elect=false"));
  }
  return absl::OkStatus();
}

absl::Status CheckElection(const ControllersOptions& options) {
  if (!options.leader_elect) return absl::OkStatus();
  if (!kube::IsDns1123Subdomain(options.lease_name)) {
    return absl::InvalidArgumentError(
        StrCat("--leader-elect-lease-name: \"", options.lease_name, "\" is no name of an object"));
  }
  if (!kube::IsDns1123Label(options.lease_namespace)) {
    return absl::InvalidArgumentError(StrCat("--leader-elect-lease-namespace: \"",
                                             options.lease_namespace,
                                             "\" is no name of a namespace"));
  }
  controllers::LeaseElectorOptions election;
  election.lease_duration = options.lease_duration;
  election.renew_deadline = options.renew_deadline;
  election.retry_period = options.retry_period;
  const absl::Status status = controllers::CheckLeaseElectorOptions(election);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(StrCat("--leader-elect: ", ToStd(status.message())));
}

std::unique_ptr<CLI::App> NewApp(const std::vector<KnownReconciler>& known,
                                 const std::vector<FeatureGate>& gates, Given& given) {
  auto app = std::make_unique<CLI::App>(
      "Runs reconcilers on a Kubernetes cluster; of several processes one works.",
      "steward controllers");
  app->get_formatter()->column_width(48);
  for (const KnownReconciler& reconciler : known) {
    if (reconciler.by_default) given.options.reconcilers.push_back(reconciler.options.name);
  }
  if (const KnownReconciler* first = FirstOf(given.options, known); first != nullptr) {
    given.options.lease_name = first->family.lease_name;
  }
  Flags(*app, known, gates, given).AddAll();
  return app;
}

}  // namespace

absl::StatusOr<ControllersOptions> ParseControllersOptions(
    const std::vector<std::string>& args, const std::vector<KnownReconciler>& known,
    const std::vector<FeatureGate>& gates) {
  Given given;
  const std::unique_ptr<CLI::App> app = NewApp(known, gates, given);
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    ControllersOptions help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  ControllersOptions& options = given.options;
  RETURN_IF_ERROR(CheckReconcilers(options, known));
  RETURN_IF_ERROR(CheckFamilies(options, known));
  if (given.lease_name->count() == 0) {
    options.lease_name = FirstOf(options, known)->family.lease_name;
  }
  RETURN_IF_ERROR(CheckElection(options));
  ASSIGN_OR_RETURN(options.tls, ParseTlsFlags(given.tls));
  options.monitoring.tls = options.tls;
  RETURN_IF_ERROR(FinishMonitoringOptions(options.monitoring));
  RETURN_IF_ERROR(FinishGrpcOptions(options.grpc));
  RETURN_IF_ERROR(audit::CheckTogether(options.audit_log));
  ASSIGN_OR_RETURN(options.feature_gates, ParseFeatureGates(gates, given.feature_gates));
  return options;
}

bool UsesWorlds(const ControllersOptions& options, const std::vector<KnownReconciler>& known) {
  return std::any_of(known.begin(), known.end(), [&options](const KnownReconciler& reconciler) {
    return reconciler.family.uses_worlds && Runs(options, reconciler);
  });
}

std::set<std::string> FamiliesOf(const ControllersOptions& options,
                                 const std::vector<KnownReconciler>& known) {
  std::set<std::string> families;
  for (const KnownReconciler& reconciler : known) {
    if (Runs(options, reconciler)) families.insert(reconciler.family.name);
  }
  return families;
}

std::set<std::string> PoliciesOf(const ControllersOptions& options,
                                 const std::vector<KnownReconciler>& known) {
  std::set<std::string> policies;
  for (const KnownReconciler& reconciler : known) {
    if (!Runs(options, reconciler)) continue;
    policies.insert(reconciler.family.policies.begin(), reconciler.family.policies.end());
  }
  return policies;
}

std::string ControllersHelpText(const std::vector<KnownReconciler>& known,
                                const std::vector<FeatureGate>& gates) {
  Given given;
  return NewApp(known, gates, given)->help();
}

}  // namespace steward

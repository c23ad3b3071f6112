#include "cmd/steward/controllers_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/monitoring_options.h"
#include "controllers/runtime/election/lease_elector.h"
#include "kube/audit/options.h"
#include "kube/meta/names.h"

namespace steward {
namespace {

// What else the flags give, to be checked when all have been read.
struct Given {
  ControllersOptions options;
  std::string feature_gates;
};

// Binds flags to what they give.
class Flags : private FlagAdder {
 public:
  Flags(CLI::App& app, const ReconcilerNames& reconcilers, const std::vector<FeatureGate>& gates,
        Given& given)
      : FlagAdder(app),
        app_(app),
        reconcilers_(reconcilers),
        gates_(FeatureGates(gates).Help()),
        given_(given),
        options_(given.options) {}

  void AddAll() {
    Text("--kubeconfig", options_.kubeconfig,
         "kubeconfig of the cluster to work on; empty: the cluster this process runs in");
    Verbosity(options_.verbosity);
    LoggingFormat(options_.logging_format);
    List("--reconcilers", options_.reconcilers,
         StrCat("What to run, of: ", absl::StrJoin(reconcilers_.known, ", ")));
    AddElection();
    AddCleanup();
    Text("--feature-gates", given_.feature_gates,
         StrCat("Name=true|false,...", gates_.empty() ? "; there are none at present" : ":\n",
                gates_));
    AddMonitoringFlags(app_, options_.monitoring);
    AddGrpcFlags(app_, options_.grpc);
    audit::AddFlags(app_, options_.audit_log);
  }

 private:
  void AddCleanup() {
    Duration("--cleanup-stall-timeout", options_.cleanup_stall_timeout,
             "How long a cleanup may make no progress before it is called stalled");
    Switch("--cleanup-supported-by-default", options_.cleanup_supported_by_default,
           "Take operators for supporting cleanup whose spec.cleanup.enabled is not there; false "
           "stays false");
    Switch("--cleanup-owned-apiservices", options_.cleanup_owned_apiservices,
           "Clean up also what operators store in APIs that they serve by themselves "
           "(spec.apiservicedefinitions.owned)");
    Switch("--cleanup-unmanaged-definitions", options_.cleanup_unmanaged_definitions,
           "Clean up also what is of definitions that OLM did not install (without the label "
           "olm.managed or olm.owner)");
    Text("--cleanup-failure-condition", options_.cleanup_failure_condition,
         "Type of the condition by which operators say, in their OperatorCondition, that they "
         "cannot finish their custom resources; empty: nobody asks them");
    Switch("--allow-unprotected-opt-in", options_.allow_unprotected_opt_in,
           "Clean up although no admission policy says who may opt in");
    Switch("--release-all", options_.release_all,
           "Let go of all operators' rights that are held, and end; for when Steward is to "
           "be uninstalled, and no other process of it runs");
  }
  void AddElection() {
    Switch("--leader-elect", options_.leader_elect,
           "Work only while holding the Lease; without, run one process only");
    Text("--leader-elect-lease-name", options_.lease_name, "Name of the Lease");
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
  const ReconcilerNames& reconcilers_;
  const std::string gates_;
  Given& given_;
  ControllersOptions& options_;
};

absl::Status CheckReconcilers(const ControllersOptions& options, const ReconcilerNames& names) {
  for (const std::string& name : options.reconcilers) {
    if (std::find(names.known.begin(), names.known.end(), name) == names.known.end()) {
      return absl::InvalidArgumentError(
          StrCat("--reconcilers: there is no \"", name,
                 "\"; known are: ", absl::StrJoin(names.known, ", ")));
    }
  }
  if (!options.reconcilers.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("--reconcilers: name at least one of: ", absl::StrJoin(names.known, ", ")));
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

std::unique_ptr<CLI::App> NewApp(const ReconcilerNames& reconcilers,
                                 const std::vector<FeatureGate>& gates, Given& given) {
  auto app = std::make_unique<CLI::App>(
      "Runs reconcilers on a Kubernetes cluster; of several processes one works.",
      "steward controllers");
  app->get_formatter()->column_width(48);
  given.options.reconcilers = reconcilers.by_default;
  Flags(*app, reconcilers, gates, given).AddAll();
  return app;
}

}  // namespace

absl::StatusOr<ControllersOptions> ParseControllersOptions(const std::vector<std::string>& args,
                                                           const ReconcilerNames& reconcilers,
                                                           const std::vector<FeatureGate>& gates) {
  Given given;
  const std::unique_ptr<CLI::App> app = NewApp(reconcilers, gates, given);
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
  RETURN_IF_ERROR(CheckReconcilers(options, reconcilers));
  RETURN_IF_ERROR(CheckElection(options));
  if (options.cleanup_stall_timeout <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError("--cleanup-stall-timeout: must be longer than 0");
  }
  RETURN_IF_ERROR(FinishMonitoringOptions(options.monitoring));
  RETURN_IF_ERROR(FinishGrpcOptions(options.grpc));
  RETURN_IF_ERROR(audit::CheckTogether(options.audit_log));
  FeatureGates set(gates);
  if (const absl::Status status = set.Set(given.feature_gates); !status.ok()) {
    return absl::InvalidArgumentError(StrCat("--feature-gates: ", ToStd(status.message())));
  }
  options.feature_gates = std::move(set);
  return options;
}

std::string ControllersHelpText(const ReconcilerNames& reconcilers,
                                const std::vector<FeatureGate>& gates) {
  Given given;
  return NewApp(reconcilers, gates, given)->help();
}

}  // namespace steward

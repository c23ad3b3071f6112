// The flags of `steward controllers`, named like those of Kubernetes' own controllers. Values and
// pure functions.
#ifndef CMD_STEWARD_CONTROLLERS_OPTIONS_H_
#define CMD_STEWARD_CONTROLLERS_OPTIONS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_values.h"
#include "base/tls/server_context.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/monitoring_options.h"
#include "controllers/runtime/known_reconciler.h"
#include "kube/audit/options.h"

namespace steward {

struct ControllersOptions {
  // True for --help: nothing else is set, and the caller prints ControllersHelpText.
  bool help = false;

  std::string kubeconfig;  // "" = in-cluster
  std::vector<std::string> reconcilers;
  bool leader_elect = true;
  std::string lease_name = "steward-controllers";
  std::string lease_namespace = "steward-system";
  absl::Duration lease_duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);
  FeatureGates feature_gates = FeatureGates({});
  FlagValues reconciler_flags;  // the values of the reconcilers' own flags
  bool takeover = false;        // reconcilers run also while an operator of OLM does the same
  ServerTlsOptions tls;         // of metrics and gRPC
  MonitoringOptions monitoring;
  GrpcOptions grpc = {.bind_address = "0", .cert_dir = "controllers.local.config/certificates"};
  audit::Options audit_log;  // of gRPC calls
  int verbosity = 0;
  std::string logging_format = "text";  // or "json"
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and the error. Errors are also unknown reconcilers and feature gates, no
// reconciler at all, reconcilers of different families under one Lease, and times of the election
// that do not fit together.
absl::StatusOr<ControllersOptions> ParseControllersOptions(
    const std::vector<std::string>& args, const std::vector<controllers::KnownReconciler>& known,
    const std::vector<FeatureGate>& gates);

// The names of the families of the configured reconcilers.
std::set<std::string> FamiliesOf(const ControllersOptions& options,
                                 const std::vector<controllers::KnownReconciler>& known);

// The admission policies that the families of the configured reconcilers name.
std::set<std::string> PoliciesOf(const ControllersOptions& options,
                                 const std::vector<controllers::KnownReconciler>& known);

// True if a configured reconciler is of a family that reads Worlds.
bool UsesWorlds(const ControllersOptions& options,
                const std::vector<controllers::KnownReconciler>& known);

// The text of --help: every flag with its default.
std::string ControllersHelpText(const std::vector<controllers::KnownReconciler>& known,
                                const std::vector<FeatureGate>& gates);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_OPTIONS_H_

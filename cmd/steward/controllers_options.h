// The flags of `steward controllers`, named as those of Kubernetes' own controllers.
#ifndef CMD_STEWARD_CONTROLLERS_OPTIONS_H_
#define CMD_STEWARD_CONTROLLERS_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/flags/feature_gates.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/monitoring_options.h"
#include "kube/audit/options.h"

namespace steward {

struct ReconcilerNames {
  std::vector<std::string> known;
  std::vector<std::string> by_default;
};

struct ControllersOptions {
  // True for --help: nothing else is set, and ControllersHelpText is what the user wants.
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
  absl::Duration cleanup_stall_timeout = absl::Minutes(10);
  bool allow_unprotected_opt_in = false;
  bool cleanup_supported_by_default = false;
  bool cleanup_owned_apiservices = false;
  bool cleanup_unmanaged_definitions = false;
  std::string cleanup_failure_condition;  // "" = nobody asks operators
  // Nothing runs operators' Deployments on this cluster, so they say nothing about operators. No
  // flag: `steward up` knows.
  bool without_deployments = false;
  // ClusterServiceVersions need no definition on this cluster. No flag, either.
  bool csvs_built_in = false;
  // Let go of everything that is held, and end.
  bool release_all = false;
  MonitoringOptions monitoring;
  GrpcOptions grpc = {.bind_address = "0", .cert_dir = "controllers.local.config/certificates"};
  audit::Options audit_log;  // of gRPC calls
  int verbosity = 0;
  std::string logging_format = "text";  // or "json"
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and what is wrong: unknown reconcilers and feature gates, none to run at all,
// times of the election that do not fit together.
absl::StatusOr<ControllersOptions> ParseControllersOptions(const std::vector<std::string>& args,
                                                           const ReconcilerNames& reconcilers,
                                                           const std::vector<FeatureGate>& gates);

// What --help prints: every flag with its default.
std::string ControllersHelpText(const ReconcilerNames& reconcilers,
                                const std::vector<FeatureGate>& gates);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_OPTIONS_H_

// The flags of `steward up`. Values and pure functions.
#ifndef CMD_STEWARD_UP_OPTIONS_H_
#define CMD_STEWARD_UP_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_values.h"
#include "cmd/steward/grpc_options.h"
#include "controllers/runtime/known_reconciler.h"
#include "kube/audit/options.h"

namespace steward {

struct UpOptions {
  // True for --help: nothing else is set, and the caller prints UpHelpText.
  bool help = false;

  std::string data_dir = ".steward";
  std::vector<std::string> load;
  bool strict = false;
  bool exit_after_load = false;
  std::vector<std::string> reconcilers = {"operator-groups", "cleanup", "install-plans"};
  FlagValues reconciler_flags;
  FeatureGates feature_gates = FeatureGates({});
  std::string bind_address = "127.0.0.1";
  int secure_port = 8443;  // 0 = a free port
  std::string kubeconfig;  // "" = DATA-DIR/kubeconfig
  GrpcOptions grpc = {.bind_address = "127.0.0.1:0"};
  audit::Options audit_log;  // of HTTP requests and gRPC calls
  int verbosity = 0;
  std::string logging_format = "text";  // or "json"

  std::string KubeconfigFile() const;
  // The URL for clients on this machine: "https://127.0.0.1:8443".
  std::string ServerUrl(int port) const;
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and the error.
absl::StatusOr<UpOptions> ParseUpOptions(const std::vector<std::string>& args,
                                         const std::vector<controllers::KnownReconciler>& known,
                                         const std::vector<FeatureGate>& gates);

// The text of --help: every flag with its default.
std::string UpHelpText(const std::vector<controllers::KnownReconciler>& known,
                       const std::vector<FeatureGate>& gates);

}  // namespace steward

#endif  // CMD_STEWARD_UP_OPTIONS_H_

// The API server's flags, named as those of Kubernetes' generic API server. Values and pure
// functions.
#ifndef APISERVER_SERVER_OPTIONS_H_
#define APISERVER_SERVER_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/flags/feature_gates.h"
#include "base/tls/server_context.h"
#include "kube/audit/options.h"

namespace steward::server {

// The gRPC server of a family of controllers, and how to be let in.
struct ControllersEndpoint {
  std::string address;  // "" = none
  std::string ca_file;
  std::string client_cert_file;
  std::string client_key_file;
};

struct Options {
  // True for --help: nothing else is set, and the user wants HelpText.
  bool help = false;

  // The kube-apiserver for reads and reviews; "" = in-cluster.
  std::string kubeconfig;
  std::string authentication_kubeconfig;  // "" = `kubeconfig`
  std::string authorization_kubeconfig;   // "" = `kubeconfig`

  std::string bind_address = "0.0.0.0";
  int secure_port = 443;  // 0 = any free port
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string cert_dir = "apiserver.local.config/certificates";
  ServerTlsOptions tls;

  std::string client_ca_file;
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers = {"x-remote-user"};
  std::vector<std::string> requestheader_group_headers = {"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix = {"x-remote-extra-"};
  std::vector<std::string> requestheader_uid_headers;
  bool authentication_skip_lookup = false;
  bool authentication_tolerate_lookup_failure = false;
  absl::Duration authentication_token_webhook_cache_ttl = absl::Seconds(10);
  absl::Duration authorization_webhook_cache_authorized_ttl = absl::Seconds(10);
  absl::Duration authorization_webhook_cache_unauthorized_ttl = absl::Seconds(10);
  std::vector<std::string> authorization_always_allow_paths = {"/healthz", "/readyz", "/livez"};
  bool anonymous_auth = true;

  int max_requests_inflight = 400;           // 0 = no limit
  int max_mutating_requests_inflight = 200;  // 0 = no limit
  int max_watches = 15'000;                  // 0 = no limit
  int max_watches_per_user = 5'000;          // 0 = no limit
  absl::Duration request_timeout = absl::Minutes(1);
  int min_request_timeout = 1800;  // seconds: the shortest duration of watches
  int http2_max_streams_per_connection = 1000;
  int max_connections = 20000;
  int max_connections_per_source = 2000;
  int max_request_memory_mib = 256;
  absl::Duration shutdown_delay_duration;

  // The limit of a write's body; set by the command, not by a flag. A resource may have a higher
  // limit for its creates (rest::Resource::max_create_bytes).
  size_t max_body_bytes = 64 << 10;

  // The endpoints of the families cleanup, install-plans and copies, in this order.
  // plan_controllers and copied_csv_controllers use the files of `controllers` where they have
  // none.
  ControllersEndpoint controllers;
  ControllersEndpoint plan_controllers;
  ControllersEndpoint copied_csv_controllers;

  audit::Options audit_log;

  // The feature gates of the reconcilers, because views foretell what the reconcilers will do.
  FeatureGates feature_gates = FeatureGates({});

  // Serve /debug/pprof/profile and /debug/pprof/heap to authorized users.
  bool profiling = false;
  int verbosity = 0;
  std::string logging_format = "text";  // or "json"
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and the error. `gates` are those that --feature-gates accepts.
absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& args,
                                     const std::vector<FeatureGate>& gates);

// The text of --help: every flag with its default.
std::string HelpText(const std::vector<FeatureGate>& gates);

}  // namespace steward::server

#endif  // APISERVER_SERVER_OPTIONS_H_

#include "cmd/steward/monitoring_options.h"

#include "base/flags/flag_adder.h"
#include "base/status/macros.h"

namespace steward {

void AddMonitoringFlags(CLI::App& app, MonitoringOptions& options) {
  FlagAdder flags(app);
  flags.Text("--metrics-bind-address", options.metrics_bind_address,
             "IP address and port to serve /metrics on; :8443: on all addresses; 0: they are not "
             "served");
  flags.Switch("--metrics-secure", options.secure,
               "Serve metrics over HTTPS, to those who may get the nonResourceURL /metrics in this "
               "cluster; false: plain HTTP, to everybody who can connect");
  flags.Text("--metrics-tls-cert-file", options.tls_cert_file,
             "Serving certificate for metrics, PEM, with its chain; read again when it changes; "
             "while there is none, one is made in memory");
  flags.Text("--metrics-tls-private-key-file", options.tls_private_key_file,
             "Private key of --metrics-tls-cert-file, PEM");
  flags.Text("--health-probe-bind-address", options.probe_bind_address,
             "IP address and port for plain HTTP: /healthz, /livez, /readyz; :8081: on all "
             "addresses; 0: they are not served");
}

absl::Status FinishMonitoringOptions(MonitoringOptions& options) {
  ASSIGN_OR_RETURN(options.metrics,
                   ParseListenAddress("--metrics-bind-address", options.metrics_bind_address));
  ASSIGN_OR_RETURN(options.probes,
                   ParseListenAddress("--health-probe-bind-address", options.probe_bind_address));
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    return absl::InvalidArgumentError(
        "--metrics-tls-cert-file and --metrics-tls-private-key-file must be given together");
  }
  return absl::OkStatus();
}

}  // namespace steward

// The flags of metrics and probes, named like those of controller-runtime. Values and pure
// functions.
#ifndef CMD_STEWARD_MONITORING_OPTIONS_H_
#define CMD_STEWARD_MONITORING_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "base/tls/server_context.h"
#include "cmd/steward/listen_address.h"

namespace CLI {
class App;
}  // namespace CLI

namespace steward {

struct MonitoringOptions {
  std::string metrics_bind_address = "127.0.0.1:8080";  // as given
  ListenAddress metrics;                                // from metrics_bind_address
  // True: HTTPS, and the cluster must allow the user to get /metrics. False: plain HTTP, for every
  // client that can connect.
  bool secure = true;
  // Either both are given, or none: then a certificate is made in memory.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  ServerTlsOptions tls;                               // set by the command
  std::string probe_bind_address = "127.0.0.1:8081";  // as given
  ListenAddress probes;                               // from probe_bind_address
};

// `options` has the defaults, and outlives the app's parsing.
void AddMonitoringFlags(CLI::App& app, MonitoringOptions& options);
// Called when all flags have been read: sets the addresses. kInvalidArgument with one sentence.
absl::Status FinishMonitoringOptions(MonitoringOptions& options);

}  // namespace steward

#endif  // CMD_STEWARD_MONITORING_OPTIONS_H_

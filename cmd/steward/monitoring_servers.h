// The servers of metrics and probes of `steward controllers`. Lives on one executor.
#ifndef CMD_STEWARD_MONITORING_SERVERS_H_
#define CMD_STEWARD_MONITORING_SERVERS_H_

#include <prometheus/registry.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/filters/reviewed_access.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/server/health.h"
#include "base/async/task.h"
#include "cmd/steward/metrics_certificate.h"
#include "cmd/steward/monitoring.h"
#include "cmd/steward/monitoring_options.h"
#include "kube/client/client.h"

namespace steward {

// The references and pointers outlive the servers.
struct MonitoringDeps {
  kube::Client* reviews;  // may be null where MonitoringOptions::secure is false
  prometheus::Registry& registry;
  http::IoThreads& threads;
  std::vector<server::HealthCheck> checks;
};

class MonitoringServers {
 public:
  MonitoringServers(MonitoringOptions options, MonitoringDeps deps)
      : options_(std::move(options)), deps_(std::move(deps)) {}

  // Starts to listen on the addresses of the options. An error means that an address or a
  // certificate cannot be used; the caller must call Stop then, too.
  absl::Status Start();
  // The port, or 0 when it is not served.
  uint16_t metrics_port() const { return metrics_ == nullptr ? 0 : metrics_->port(); }
  uint16_t probes_port() const { return probes_ == nullptr ? 0 : probes_->port(); }

  // Keeps the certificate fresh, until cancelled.
  VoidTask Run();
  // Called once, before this object is destroyed, when Run does not run.
  VoidTask Stop();

 private:
  absl::Status StartMetrics();
  absl::Status StartProbes();

  const MonitoringOptions options_;
  MonitoringDeps deps_;
  std::unique_ptr<MetricsCertificate> certificate_;  // null: plain HTTP
  std::unique_ptr<filters::ReviewedAccess> access_;  // null: every client may read metrics
  std::unique_ptr<Monitoring> metrics_;              // null: not served
  std::unique_ptr<Monitoring> probes_;               // null: not served
};

}  // namespace steward

#endif  // CMD_STEWARD_MONITORING_SERVERS_H_

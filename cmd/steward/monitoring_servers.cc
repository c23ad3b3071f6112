#include "cmd/steward/monitoring_servers.h"

#include <functional>
#include <utility>

#include "apiserver/filters/request_metrics.h"
#include "base/clock/clock.h"
#include "base/log/log.h"
#include "base/metrics/serving_expiry.h"
#include "base/status/macros.h"

namespace steward {

absl::Status MonitoringServers::Start() {
  if (!options_.metrics.off()) RETURN_IF_ERROR(StartMetrics());
  if (!options_.probes.off()) RETURN_IF_ERROR(StartProbes());
  return absl::OkStatus();
}

absl::Status MonitoringServers::StartMetrics() {
  http::Handler handler = filters::MetricsHandler(deps_.registry);
  std::function<SslContext()> tls;
  if (options_.secure) {
    ASSIGN_OR_RETURN(certificate_, MetricsCertificate::Create(
                                       {options_.tls_cert_file, options_.tls_private_key_file},
                                       Clock::Real(), options_.tls));
    access_ = std::make_unique<filters::ReviewedAccess>(*deps_.reviews, Clock::Real(),
                                                        Random::Real(), deps_.registry);
    handler = access_->Guard(std::move(handler));
    tls = [this] { return certificate_->context(); };
  }
  ASSIGN_OR_RETURN(metrics_, Monitoring::Start(options_.metrics, std::move(tls),
                                               ServeMetrics(std::move(handler)), deps_.threads));
  log::Info(
      "Serving metrics",
      {{"address", options_.metrics.ip}, {"port", metrics_->port()}, {"secure", options_.secure}});
  return absl::OkStatus();
}

absl::Status MonitoringServers::StartProbes() {
  ASSIGN_OR_RETURN(probes_, Monitoring::Start(options_.probes, nullptr,
                                              ServeProbes(std::move(deps_.checks)), deps_.threads));
  log::Info("Serving probes", {{"address", options_.probes.ip}, {"port", probes_->port()}});
  return absl::OkStatus();
}

VoidTask MonitoringServers::Run() {
  if (certificate_ == nullptr) co_return;
  const ServingExpiry expiry(deps_.registry, "metrics");
  co_await certificate_->KeepFresh(expiry);
}

VoidTask MonitoringServers::Stop() {
  if (metrics_ != nullptr) co_await metrics_->Stop();
  if (probes_ != nullptr) co_await probes_->Stop();
}

}  // namespace steward

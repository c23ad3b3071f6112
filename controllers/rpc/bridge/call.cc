#include "controllers/rpc/bridge/call.h"

#include <utility>

#include "base/metrics/families.h"
#include "kube/grpc/status.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

absl::Status Stopping() {
  return kube::ToStatus(
      kube::ServiceUnavailable("this replica is stopping, please ask another", 1));
}

}  // namespace

CallMetrics::CallMetrics(prometheus::Registry& registry)
    : ended_(CounterFamily(registry, "steward_grpc_calls_total",
                           "Calls of gRPC services that ended, by service, method and code.")),
      watches_(GaugeFamily(registry, "steward_grpc_watches",
                           "Watches of gRPC clients that run, by service.")) {}

void CallMetrics::CountEnd(const std::string& service, const std::string& method,
                           grpc::StatusCode code) {
  const std::string name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
  ended_.Add({{"service", service}, {"method", method}, {"code", name}}).Increment();
}

prometheus::Gauge& CallMetrics::Watches(const std::string& service) {
  return watches_.Add({{"service", service}});
}

Call::Call(CallMetrics& metrics, std::string service, std::string method,
           std::shared_ptr<CallRecord> record, Finish finish)
    : metrics_(metrics),
      service_(std::move(service)),
      method_(std::move(method)),
      record_(std::move(record)),
      finish_(std::move(finish)) {}

Call::~Call() {
  if (finish_) End(Stopping());
}

void Call::CountIn(prometheus::Gauge& running) {
  running_ = &running;
  running.Increment();
}

void Call::End(const absl::Status& status) {
  record_->End(status);
  const grpc::Status sent = kube::ToGrpc(status);
  metrics_.CountEnd(service_, method_, sent.error_code());
  if (running_ != nullptr) running_->Decrement();
  std::exchange(finish_, nullptr)(sent);
}

}  // namespace steward::rpc

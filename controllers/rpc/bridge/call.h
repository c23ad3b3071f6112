// Follows a call from its admission to its end (for one thread at a time), and counts all calls
// (thread-safe).
#ifndef CONTROLLERS_RPC_BRIDGE_CALL_H_
#define CONTROLLERS_RPC_BRIDGE_CALL_H_

#include <grpcpp/support/status.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "controllers/rpc/bridge/call_record.h"
#include "kube/grpc/admission.h"

namespace steward::rpc {

// The metrics of all calls. Thread-safe.
class CallMetrics {
 public:
  // REQUIRES: `registry` outlives this object.
  explicit CallMetrics(prometheus::Registry& registry);

  void CountEnd(const std::string& service, const std::string& method, grpc::StatusCode code);
  // Returns the gauge of a service's running watches. The first call creates it with zero.
  prometheus::Gauge& Watches(const std::string& service);

 private:
  prometheus::Family<prometheus::Counter>& ended_;
  prometheus::Family<prometheus::Gauge>& watches_;
};

// A call ends exactly once. If it is destroyed before, it ends with UNAVAILABLE, because no task is
// left that could run it. The end is counted, recorded, and sent to the client. Used by one thread
// at a time.
class Call {
 public:
  // Gives gRPC the status that it sends to the client.
  using Finish = std::function<void(const grpc::Status&)>;

  // REQUIRES: `metrics` outlives this object.
  Call(CallMetrics& metrics, std::string service, std::string method,
       std::shared_ptr<CallRecord> record, Finish finish);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const std::shared_ptr<CallRecord>& record() const { return record_; }
  // Keeps a place among the calls under way until this object is destroyed.
  void Hold(kube::Admission::Place place) { place_ = std::move(place); }
  // Counts the call in `running` until it ends.
  void CountIn(prometheus::Gauge& running);
  // REQUIRES: the call has not ended.
  void End(const absl::Status& status);

 private:
  CallMetrics& metrics_;
  const std::string service_;
  const std::string method_;
  const std::shared_ptr<CallRecord> record_;
  Finish finish_;  // null: the call has ended
  prometheus::Gauge* running_ = nullptr;
  kube::Admission::Place place_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_CALL_H_

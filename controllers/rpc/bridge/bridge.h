// The common part of all services of a gRPC server: the way of a call from gRPC's threads to an
// executor, authentication, limits and records. Each member says on which thread it may be called.
#ifndef CONTROLLERS_RPC_BRIDGE_BRIDGE_H_
#define CONTROLLERS_RPC_BRIDGE_BRIDGE_H_

#include <grpcpp/server_context.h>
#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/call.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/audit/log.h"
#include "kube/grpc/admission.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::rpc {

struct BridgeOptions {
  // Common names of clients that may ask on behalf of others.
  std::vector<std::string> frontends;
  int max_calls = 200;    // at a time, of all services, watches not counted
  int max_watches = 200;  // at a time, of all services
  absl::Duration call_timeout = absl::Minutes(1);
};

// The references and pointers outlive the bridge.
struct BridgeDeps {
  Access& access;
  Clock& clock;
  prometheus::Registry& registry;
  audit::Log* audit_log = nullptr;  // null: calls are not recorded
};

// Each call becomes one task on the executor, and ends with that task in all cases: a call whose
// task cannot run any more is answered with UNAVAILABLE. When the client cancels, or its deadline
// passes, the task is cancelled. Services derive from ServiceBridge, which uses the bridge.
class Bridge {
 public:
  enum class Kind { kUnary, kWatch };

  // REQUIRES: `executor` runs one handler at a time; the bridge outlives the services, and these
  // the gRPC server.
  Bridge(boost::asio::any_io_executor executor, BridgeDeps deps, BridgeOptions options);
  ~Bridge();

  // Ends the running watches, and later ones as soon as they begin. On the executor.
  VoidTask EndWatches();
  // Ends the remaining calls; later ones do not begin. On the executor.
  VoidTask Stop();

  // The remaining members are for ServiceBridge.

  // Begins the record of a call. On any thread.
  std::unique_ptr<Call> Begin(const grpc::CallbackServerContext& context, std::string service,
                              std::string method, const MethodTarget& target, Call::Finish finish);
  // Returns the requester, or an error if certificates or limits forbid the call. On any thread.
  absl::StatusOr<Requester> Admit(Kind kind, const grpc::CallbackServerContext& context,
                                  const common::v1::Requester* on_behalf_of, Call& call);

  const boost::asio::any_io_executor& executor() const { return executor_; }
  Access& access() { return deps_.access; }
  Clock& clock() { return deps_.clock; }
  CallMetrics& metrics() { return metrics_; }
  absl::Duration call_timeout() const { return options_.call_timeout; }
  // On the executor.
  TaskGroup& tasks(Kind kind) { return kind == Kind::kWatch ? watches_ : calls_; }

 private:
  const boost::asio::any_io_executor executor_;
  const BridgeDeps deps_;
  const BridgeOptions options_;
  CallMetrics metrics_;
  kube::Admission call_places_;
  kube::Admission watch_places_;
  TaskGroup calls_;
  TaskGroup watches_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_BRIDGE_H_

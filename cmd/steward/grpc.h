// The gRPC services with everything that they need. Lives on one executor.
#ifndef CMD_STEWARD_GRPC_H_
#define CMD_STEWARD_GRPC_H_

#include <prometheus/registry.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/heartbeats.h"
#include "cmd/steward/grpc_options.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/server.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/audit/log.h"
#include "kube/client/client.h"
#include "storage/cleanup/outlooks.h"
#include "storage/world/world_store.h"

namespace steward {

struct GrpcServingDeps {
  kube::Client& cluster;
  kube::Client& access_reviews;
  storage::WorldStore& worlds;  // fed by the caller
  prometheus::Registry& registry;
  controllers::EventRecorder& events;  // callable from any thread
  Heartbeats* heartbeats = nullptr;    // null: not monitored
  audit::Log* audit_log = nullptr;     // null: calls are not recorded
};

class GrpcServing {
 public:
  // Makes the certificates where necessary, and listens. The references outlive this object.
  // REQUIRES: there is an address.
  static absl::StatusOr<std::unique_ptr<GrpcServing>> Start(const GrpcOptions& options,
                                                            const controllers::GuardOptions& guards,
                                                            GrpcServingDeps deps);

  int port() const { return server_->port(); }
  // Called once, before this object is destroyed.
  VoidTask Stop() { return server_->Stop(); }

 private:
  GrpcServing(const controllers::GuardOptions& guards, GrpcServingDeps deps);

  const GrpcServingDeps deps_;
  storage::CleanupOutlooks outlooks_;
  controllers::CleanupInspector inspector_;
  std::unique_ptr<rpc::Server> server_;
};

// The same for certificates that may appear after the start of this process, as their issuer runs
// in the same cluster. Lives on one executor.
class GrpcWhenReady {
 public:
  // The references outlive this object. REQUIRES: there is an address.
  GrpcWhenReady(GrpcOptions options, controllers::GuardOptions guards, GrpcServingDeps deps)
      : options_(std::move(options)), guards_(std::move(guards)), deps_(deps) {}

  // Starts to serve, if all files are there. Errors: those that waiting would not mend.
  absl::Status Begin();
  // Returns when gRPC is served. Cancellable.
  VoidTask Run();
  // Called once, before this object is destroyed, when Run does not run.
  VoidTask Stop();

 private:
  const GrpcOptions options_;
  const controllers::GuardOptions guards_;
  const GrpcServingDeps deps_;
  std::unique_ptr<GrpcServing> serving_;  // null: not served yet
};

}  // namespace steward

#endif  // CMD_STEWARD_GRPC_H_

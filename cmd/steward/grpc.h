// The gRPC server with everything that it needs. Lives on one executor.
#ifndef CMD_STEWARD_GRPC_H_
#define CMD_STEWARD_GRPC_H_

#include <prometheus/registry.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/heartbeats.h"
#include "base/tls/server_context.h"
#include "cmd/steward/grpc_options.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/server.h"
#include "kube/audit/log.h"
#include "kube/client/client.h"

namespace steward {

// Has gRPC speak what the options allow, in this whole process. Called before any other thread runs
// and before gRPC is used. gRPC knows one list for all versions of TLS, so that the cipher suites
// of TLS 1.3 are always all of them; GRPC_SSL_CIPHER_SUITES in the environment comes first.
void LimitGrpcTls(const ServerTlsOptions& options);

struct GrpcServingDeps {
  kube::Client& access_reviews;
  prometheus::Registry& registry;
  Heartbeats* heartbeats = nullptr;  // null: not monitored
  audit::Log* audit_log = nullptr;   // null: calls are not recorded
};

class GrpcServing {
 public:
  // Makes the certificates where necessary, and listens. The references outlive this object.
  // REQUIRES: there is an address. kInvalidArgument: there is no service.
  static absl::StatusOr<std::unique_ptr<GrpcServing>> Start(
      const GrpcOptions& options, GrpcServingDeps deps, std::vector<rpc::ServedService> services);

  int port() const { return server_->port(); }
  // Called once, before this object is destroyed.
  VoidTask Stop() { return server_->Stop(); }

 private:
  explicit GrpcServing(std::unique_ptr<rpc::Server> server) : server_(std::move(server)) {}

  const std::unique_ptr<rpc::Server> server_;
};

// Serves once the certificates exist: their issuer runs in the same cluster and may write them
// after this process has started. Lives on one executor.
class GrpcWhenReady {
 public:
  // The references outlive this object. REQUIRES: there is an address.
  GrpcWhenReady(GrpcOptions options, GrpcServingDeps deps, std::vector<rpc::ServedService> services)
      : options_(std::move(options)), deps_(deps), services_(std::move(services)) {}

  // Starts to serve, if all files are there. Errors: those that waiting would not mend.
  absl::Status Begin();
  // Returns when gRPC is served. Cancellable.
  VoidTask Run();
  // Called once, before this object is destroyed, when Run does not run.
  VoidTask Stop();

 private:
  absl::Status TryToStart();

  const GrpcOptions options_;
  const GrpcServingDeps deps_;
  const std::vector<rpc::ServedService> services_;
  std::unique_ptr<GrpcServing> serving_;  // null: not served yet
};

}  // namespace steward

#endif  // CMD_STEWARD_GRPC_H_

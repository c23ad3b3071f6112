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

// Sets, for this whole process, which TLS gRPC speaks, as the options allow. Called before any
// other thread runs and before gRPC is used. gRPC has one list of ciphers for all versions of TLS,
// so the cipher suites of TLS 1.3 cannot be limited. GRPC_SSL_CIPHER_SUITES in the environment
// takes precedence.
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
  // REQUIRES: there is an address. kInvalidArgument if there is no service.
  static absl::StatusOr<std::unique_ptr<GrpcServing>> Start(
      const GrpcOptions& options, GrpcServingDeps deps, std::vector<rpc::ServedService> services);

  int port() const { return server_->port(); }
  // Called once, before this object is destroyed.
  VoidTask Stop() { return server_->Stop(); }

 private:
  explicit GrpcServing(std::unique_ptr<rpc::Server> server) : server_(std::move(server)) {}

  const std::unique_ptr<rpc::Server> server_;
};

// Serves gRPC once the certificates exist. Their issuer runs in the same cluster, so it may write
// them after this process has started. Lives on one executor.
class GrpcWhenReady {
 public:
  // The references outlive this object. REQUIRES: there is an address.
  GrpcWhenReady(GrpcOptions options, GrpcServingDeps deps, std::vector<rpc::ServedService> services)
      : options_(std::move(options)), deps_(deps), services_(std::move(services)) {}

  // Starts to serve if all files are there; OK also if one is still missing. Any other failure is
  // an error.
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

// The gRPC server of the controllers. Start and Stop may be called on any thread, one at a time.
#ifndef CONTROLLERS_RPC_SERVER_H_
#define CONTROLLERS_RPC_SERVER_H_

#include <prometheus/registry.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/clock/heartbeats.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/served_service.h"
#include "kube/audit/log.h"
#include "kube/client/client.h"

namespace steward::rpc {

struct ServerOptions {
  // The form is "127.0.0.1:9443" or "[::1]:9443"; port 0 = a free one.
  std::string address;
  // PEM files, read again every reload_seconds: later handshakes use the new content.
  std::string cert_file;
  std::string key_file;
  std::string client_ca_file;
  unsigned reload_seconds = 10;
  // Common names of clients that may ask on behalf of others.
  std::vector<std::string> frontends = {"steward-apiserver"};

  // Calls at a time, of all services, watches not counted; beyond: RESOURCE_EXHAUSTED.
  int max_calls = 200;
  int max_watches = 200;  // at a time, of all services
  int max_streams_per_connection = 100;
  int max_message_bytes = 4 << 20;
  size_t max_memory_bytes = 64 << 20;  // gRPC's buffers for all connections; beyond, reads wait
  // A connection without a verified client certificate is closed after this time.
  absl::Duration handshake_timeout = absl::Seconds(10);
  absl::Duration call_timeout = absl::Minutes(1);  // at most
  absl::Duration stop_grace = absl::Seconds(5);    // the time that calls under way get to end
  AccessOptions access;
};

// The references and pointers outlive the server.
struct ServerDeps {
  kube::Client& client;  // for reviews
  Clock& clock;
  prometheus::Registry& registry;
  Heartbeats* heartbeats = nullptr;  // monitors the thread that does the work; null: not monitored
  audit::Log* audit_log = nullptr;   // null: calls are not recorded
};

// Serves a list of services, grpc.health.v1.Health and reflection, over TLS, to clients with a
// certificate of the client CA. Each service is healthy, under its name, once it is ready, and ""
// when all are. The work is done on a separate thread, so that no call keeps a reconciler or a
// Lease waiting; gRPC's threads only pass calls on.
class Server {
 public:
  // Starts to listen. Errors name the file or address that cannot be used.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options, ServerDeps deps,
                                                       std::vector<ServedService> services);
  // REQUIRES: Stop has returned.
  ~Server();

  int port() const;
  // Ends watches at once, and reports itself unhealthy; other calls have stop_grace to end. Called
  // once, on any executor.
  VoidTask Stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_SERVER_H_

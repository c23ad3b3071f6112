// Metrics and probes, for processes that serve nothing else over HTTP. A Monitoring lives on one
// executor; handlers are called on any thread.
#ifndef CMD_STEWARD_MONITORING_H_
#define CMD_STEWARD_MONITORING_H_

#include <prometheus/registry.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/message/message.h"
#include "apiserver/http/server.h"
#include "apiserver/server/health.h"
#include "base/async/task.h"
#include "base/tls/server_context.h"
#include "cmd/steward/listen_address.h"

namespace steward {

// Answers /healthz, /livez, /readyz and the paths below them; 404 for others. Checks are called
// from every thread.
http::Handler ServeProbes(std::vector<server::HealthCheck> checks);

// Answers /metrics with `metrics`; 404 for other paths.
http::Handler ServeMetrics(http::Handler metrics);

// A small HTTP server: GET and HEAD only, with few connections at a time.
class Monitoring {
 public:
  // Starts to listen; "::" means all addresses, also those of IPv4. `tls` is called for each
  // connection; if it is null, the server speaks plain HTTP. Fails when the address cannot be used.
  // `threads` outlive this object.
  static absl::StatusOr<std::unique_ptr<Monitoring>> Start(const ListenAddress& address,
                                                           std::function<SslContext()> tls,
                                                           http::Handler handler,
                                                           http::IoThreads& threads);

  uint16_t port() const { return server_.port(); }
  // Called once, before this object is destroyed.
  VoidTask Stop();

 private:
  Monitoring(http::ServerOptions options, http::IoThreads& threads);

  http::Server server_;
};

}  // namespace steward

#endif  // CMD_STEWARD_MONITORING_H_

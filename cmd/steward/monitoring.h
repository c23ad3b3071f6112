// Metrics and probes, for processes that serve nothing else over HTTP.
#ifndef CMD_STEWARD_MONITORING_H_
#define CMD_STEWARD_MONITORING_H_

#include <prometheus/registry.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/message.h"
#include "apiserver/http/server.h"
#include "apiserver/server/health.h"
#include "base/async/task.h"
#include "base/tls/server_context.h"
#include "cmd/steward/listen_address.h"

namespace steward {

// /healthz, /livez, /readyz and what is below them; 404 for the rest. Checks are called from every
// thread.
http::Handler ServeProbes(std::vector<server::HealthCheck> checks);

// /metrics; 404 for the rest. `metrics` answers it.
http::Handler ServeMetrics(http::Handler metrics);

// A small HTTP server: only GET and HEAD, few connections at a time.
class Monitoring {
 public:
  // Listens; "::" is all addresses, IPv4's too. Without `tls`, which is asked for each connection,
  // it is plain HTTP. An error when the address cannot be had. `threads` outlive this object.
  static absl::StatusOr<std::unique_ptr<Monitoring>> Start(const ListenAddress& address,
                                                           std::function<SslContext()> tls,
                                                           http::Handler handler,
                                                           http::IoThreads& threads);

  uint16_t port() const { return server_.port(); }
  // To be called once before this object is destroyed.
  VoidTask Stop();

 private:
  Monitoring(http::ServerOptions options, http::IoThreads& threads);

  http::Server server_;
};

}  // namespace steward

#endif  // CMD_STEWARD_MONITORING_H_

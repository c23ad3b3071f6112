// Metrics of connections and of the memory that requests hold. Thread-safe.
#ifndef APISERVER_SERVER_CONNECTION_METRICS_H_
#define APISERVER_SERVER_CONNECTION_METRICS_H_

#include <memory>

#include "apiserver/http/server.h"

namespace prometheus {
class Registry;
}

namespace steward::server {

// steward_apiserver_connections, _connections_accepted_total, _connections_rejected_total{reason},
// _connections_shed_total, _accept_errors_total, _tls_handshake_errors_total, _watches_reset_total,
// _request_memory_bytes
// and _request_memory_limit_bytes. Registers them in the registry, which must outlive it.
// Thread-safe.
class ConnectionMetrics {
 public:
  explicit ConnectionMetrics(prometheus::Registry& registry);
  ~ConnectionMetrics();

  void Observe(const http::ServerStats& stats);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::server

#endif  // APISERVER_SERVER_CONNECTION_METRICS_H_

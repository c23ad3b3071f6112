// /metrics, /healthz and /readyz over plain HTTP, for processes that serve nothing else.
#ifndef CMD_STEWARD_MONITORING_H_
#define CMD_STEWARD_MONITORING_H_

#include <prometheus/registry.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/server.h"
#include "apiserver/server/health.h"
#include "base/async/task.h"

namespace steward {

// Anybody who can connect may ask. Few connections at a time, on `threads`.
class Monitoring {
 public:
  // Listens; "::" is all addresses, IPv4's too. An error when the address cannot be had. The
  // references outlive this object; checks are called from the threads.
  static absl::StatusOr<std::unique_ptr<Monitoring>> Start(const std::string& address,
                                                           uint16_t port,
                                                           std::vector<server::HealthCheck> checks,
                                                           const prometheus::Registry& registry,
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

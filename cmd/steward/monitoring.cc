#include "cmd/steward/monitoring.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

constexpr absl::Duration kStopGrace = absl::Seconds(2);

VoidTask RespondText(http::ResponseWriter& writer, int status, std::string text) {
  const absl::Status sent =
      co_await http::Respond(writer, status, "text/plain; charset=utf-8", std::move(text));
  sent.IgnoreError();  // the client is gone
}

http::Handler OnlyReads(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    if (request.method == "GET" || request.method == "HEAD") return next(request, writer);
    return RespondText(writer, 405, "only GET and HEAD\n");
  };
}

http::ServerOptions OptionsFor(const ListenAddress& address, std::function<SslContext()> tls) {
  http::ServerOptions options;
  options.bind_address = address.ip;
  options.port = address.port;
  options.tls = std::move(tls);
  options.limits.max_connections = 100;
  options.limits.max_connections_per_source = 20;
  options.limits.max_header_bytes = 32 << 10;
  options.limits.max_target_bytes = 2 << 10;
  options.limits.max_request_memory = 4 << 20;
  options.limits.max_connection_memory = 256 << 10;
  options.error_body = [](int, std::string_view, std::string_view message) {
    return StrCat(message, "\n");
  };
  return options;
}

}  // namespace

http::Handler ServeProbes(std::vector<server::HealthCheck> checks) {
  return [health = server::HealthHandler(std::move(checks))](http::Request& request,
                                                             http::ResponseWriter& writer) {
    if (server::IsHealthPath(request.path)) return health(request, writer);
    return RespondText(writer, 404, "there are /healthz, /livez and /readyz\n");
  };
}

http::Handler ServeMetrics(http::Handler metrics) {
  return [metrics = std::move(metrics)](http::Request& request, http::ResponseWriter& writer) {
    if (request.path == "/metrics") return metrics(request, writer);
    return RespondText(writer, 404, "there is /metrics\n");
  };
}

Monitoring::Monitoring(http::ServerOptions options, http::IoThreads& threads)
    : server_(std::move(options), threads) {}

absl::StatusOr<std::unique_ptr<Monitoring>> Monitoring::Start(const ListenAddress& address,
                                                              std::function<SslContext()> tls,
                                                              http::Handler handler,
                                                              http::IoThreads& threads) {
  handler = OnlyReads(std::move(handler));
  std::unique_ptr<Monitoring> monitoring(new Monitoring(OptionsFor(address, tls), threads));
  absl::Status status = monitoring->server_.Start(handler);
  if (!status.ok() && address.ip == "::") {
    // The machine may have no IPv6.
    monitoring.reset(new Monitoring(OptionsFor({"0.0.0.0", address.port}, tls), threads));
    status = monitoring->server_.Start(handler);
  }
  RETURN_IF_ERROR(status);
  return monitoring;
}

VoidTask Monitoring::Stop() { co_await server_.Stop(kStopGrace); }

}  // namespace steward

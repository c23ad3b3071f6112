#include "cmd/steward/monitoring.h"

#include <string_view>
#include <utility>

#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"
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

http::Handler Route(http::Handler health, http::Handler metrics) {
  return [health = std::move(health), metrics = std::move(metrics)](http::Request& request,
                                                                    http::ResponseWriter& writer) {
    if (request.method != "GET" && request.method != "HEAD") {
      return RespondText(writer, 405, "only GET and HEAD\n");
    }
    if (server::IsHealthPath(request.path)) return health(request, writer);
    if (request.path == "/metrics") return metrics(request, writer);
    return RespondText(writer, 404, "there are /metrics, /healthz, /livez and /readyz\n");
  };
}

http::ServerOptions OptionsFor(const std::string& address, uint16_t port) {
  http::ServerOptions options;
  options.bind_address = address;
  options.port = port;
  options.limits.max_connections = 100;
  options.limits.max_header_bytes = 32 << 10;
  options.limits.max_request_memory = 4 << 20;
  options.error_body = [](int, std::string_view, std::string_view message) {
    return StrCat(message, "\n");
  };
  return options;
}

}  // namespace

Monitoring::Monitoring(http::ServerOptions options, http::IoThreads& threads)
    : server_(std::move(options), threads) {}

absl::StatusOr<std::unique_ptr<Monitoring>> Monitoring::Start(
    const std::string& address, uint16_t port, std::vector<server::HealthCheck> checks,
    const prometheus::Registry& registry, http::IoThreads& threads) {
  const http::Handler handler =
      Route(server::HealthHandler(std::move(checks)), filters::MetricsHandler(registry));
  std::unique_ptr<Monitoring> monitoring(new Monitoring(OptionsFor(address, port), threads));
  absl::Status status = monitoring->server_.Start(handler);
  if (!status.ok() && address == "::") {
    // A machine without IPv6.
    monitoring.reset(new Monitoring(OptionsFor("0.0.0.0", port), threads));
    status = monitoring->server_.Start(handler);
  }
  RETURN_IF_ERROR(status);
  return monitoring;
}

VoidTask Monitoring::Stop() { co_await server_.Stop(kStopGrace); }

}  // namespace steward

#include "apiserver/server/connection_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/metrics/families.h"
#include "base/sync/mutex.h"

namespace steward::server {
namespace {

using Labels = std::map<std::string, std::string>;

prometheus::Gauge& AddGauge(prometheus::Registry& registry, const char* name, const char* help) {
  return GaugeFamily(registry, name, help).Add({});
}

prometheus::Counter& AddCounter(prometheus::Registry& registry, const char* name, const char* help,
                                const Labels& labels = {}) {
  return CounterFamily(registry, name, help).Add(labels);
}

// Raises the counter to the server's own total.
void Follow(prometheus::Counter& counter, uint64_t total) {
  const double ahead = static_cast<double>(total) - counter.Value();
  if (ahead > 0) counter.Increment(ahead);
}

constexpr char kRejected[] = "steward_apiserver_connections_rejected_total";
constexpr char kRejectedHelp[] =
    "New connections closed since there was no place for them, by the limit.";

}  // namespace

struct ConnectionMetrics::Impl {
  explicit Impl(prometheus::Registry& registry)
      : connections(AddGauge(registry, "steward_apiserver_connections", "Connections open now.")),
        accepted(AddCounter(registry, "steward_apiserver_connections_accepted_total",
                            "Connections accepted.")),
        rejected_full(AddCounter(registry, kRejected, kRejectedHelp, {{"reason", "total"}})),
        rejected_source(AddCounter(registry, kRejected, kRejectedHelp, {{"reason", "source"}})),
        shed(AddCounter(registry, "steward_apiserver_connections_shed_total",
                        "Idle connections of strangers closed for new ones.")),
        accept_errors(AddCounter(registry, "steward_apiserver_accept_errors_total",
                                 "Connections that could not be accepted.")),
        handshake_errors(AddCounter(registry, "steward_apiserver_tls_handshake_errors_total",
                                    "TLS handshakes that failed.")),
        watches_reset(AddCounter(registry, "steward_apiserver_watches_reset_total",
                                 "Watches ended since there was no memory for what waited for "
                                 "their clients.")),
        memory(AddGauge(registry, "steward_apiserver_request_memory_bytes",
                        "Bytes held by requests and by responses that wait for their clients.")),
        memory_limit(AddGauge(registry, "steward_apiserver_request_memory_limit_bytes",
                              "The most that steward_apiserver_request_memory_bytes may be.")) {}

  prometheus::Gauge& connections;
  prometheus::Counter& accepted;
  prometheus::Counter& rejected_full;
  prometheus::Counter& rejected_source;
  prometheus::Counter& shed;
  prometheus::Counter& accept_errors;
  prometheus::Counter& handshake_errors;
  prometheus::Counter& watches_reset;
  prometheus::Gauge& memory;
  prometheus::Gauge& memory_limit;
  Mutex mutex;  // held during Observe, because counters follow in steps
};

ConnectionMetrics::ConnectionMetrics(prometheus::Registry& registry)
    : impl_(std::make_unique<Impl>(registry)) {}
ConnectionMetrics::~ConnectionMetrics() = default;

void ConnectionMetrics::Observe(const http::ServerStats& stats) {
  MutexLock lock(&impl_->mutex);
  impl_->connections.Set(static_cast<double>(stats.connections));
  Follow(impl_->accepted, stats.accepted);
  Follow(impl_->rejected_full, stats.rejected_full);
  Follow(impl_->rejected_source, stats.rejected_source);
  Follow(impl_->shed, stats.shed);
  Follow(impl_->accept_errors, stats.accept_errors);
  Follow(impl_->handshake_errors, stats.handshake_errors);
  Follow(impl_->watches_reset, stats.watches_reset);
  impl_->memory.Set(static_cast<double>(stats.request_memory));
  impl_->memory_limit.Set(static_cast<double>(stats.request_memory_limit));
}

}  // namespace steward::server

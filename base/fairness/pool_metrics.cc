#include "base/fairness/pool_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <utility>

#include "base/metrics/families.h"

namespace steward {
namespace {

using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets& WaitBuckets() {
  static const Buckets& buckets =
      *new Buckets{0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30};
  return buckets;
}

const char* Label(PoolRefusal reason) {
  switch (reason) {
    case PoolRefusal::kQueueFull:
      return "queue-full";
    case PoolRefusal::kTimeOut:
      return "time-out";
    case PoolRefusal::kConcurrency:
      return "concurrency-limit";
  }
  return "";
}

}  // namespace

PoolMetrics::PoolMetrics(prometheus::Registry& registry)
    : held_(GaugeFamily(registry, "apiserver_flowcontrol_current_executing_requests",
                        "Places of a pool that are held.")),
      waiting_(GaugeFamily(registry, "apiserver_flowcontrol_current_inqueue_requests",
                           "Requests that wait for a place in a pool.")),
      waits_(
          HistogramFamily(registry, "apiserver_flowcontrol_request_wait_duration_seconds",
                          "Seconds that requests waited for a place, of those that had to wait.")),
      refused_(CounterFamily(registry, "apiserver_flowcontrol_rejected_requests_total",
                             "Requests that got no place in a pool, by reason.")) {}

PoolMetrics::Pool PoolMetrics::Of(std::string name) {
  Pool pool;
  pool.metrics_ = this;
  pool.held_ = &held_.Add({{"priority_level", name}});
  pool.waiting_ = &waiting_.Add({{"priority_level", name}});
  pool.name_ = std::move(name);
  return pool;
}

void PoolMetrics::Pool::AddHeld(int change) {
  if (held_ != nullptr) held_->Increment(change);
}

void PoolMetrics::Pool::AddWaiting(int change) {
  if (waiting_ != nullptr) waiting_->Increment(change);
}

void PoolMetrics::Pool::ObserveWait(absl::Duration duration, bool admitted) {
  if (metrics_ == nullptr) return;
  metrics_->waits_
      .Add({{"priority_level", name_}, {"execute", admitted ? "true" : "false"}}, WaitBuckets())
      .Observe(absl::ToDoubleSeconds(duration));
}

void PoolMetrics::Pool::Refuse(PoolRefusal reason) {
  if (metrics_ == nullptr) return;
  metrics_->refused_.Add({{"priority_level", name_}, {"reason", Label(reason)}}).Increment();
}

}  // namespace steward

#include "controllers/runtime/queue/queue_metrics.h"

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

using prometheus::Labels;

// From 10 ns to 1000 s in powers of ten, like Kubernetes' queues.
const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
  return buckets;
}

Labels LabelsOf(const std::string& name) { return {{"name", name}, {"controller", name}}; }

prometheus::Gauge& Gauge(prometheus::Registry& registry, const std::string& queue, const char* name,
                         const char* help) {
  return GaugeFamily(registry, name, help).Add(LabelsOf(queue));
}

prometheus::Counter& Counter(prometheus::Registry& registry, const std::string& queue,
                             const char* name, const char* help) {
  return CounterFamily(registry, name, help).Add(LabelsOf(queue));
}

prometheus::Histogram& Histogram(prometheus::Registry& registry, const std::string& queue,
                                 const char* name, const char* help) {
  return HistogramFamily(registry, name, help).Add(LabelsOf(queue), Buckets());
}

}  // namespace

QueueMetrics::QueueMetrics(prometheus::Registry& registry, const std::string& name)
    : depth_(Gauge(registry, name, "workqueue_depth", "Keys ready and not taken.")),
      adds_(Counter(registry, name, "workqueue_adds_total", "Keys that became ready.")),
      retries_(
          Counter(registry, name, "workqueue_retries_total", "Keys put back after a failure.")),
      waited_(Histogram(registry, name, "workqueue_queue_duration_seconds",
                        "Seconds from being ready to being taken.")),
      worked_(Histogram(registry, name, "workqueue_work_duration_seconds",
                        "Seconds from being taken to being done.")),
      unfinished_(Gauge(registry, name, "workqueue_unfinished_work_seconds",
                        "Seconds of work so far, summed over the keys being worked on. One that "
                        "grows without end is stuck.")),
      longest_(Gauge(registry, name, "workqueue_longest_running_processor_seconds",
                     "Seconds for which the key that takes longest has been worked on.")) {}

void QueueMetrics::Taken(absl::Duration waited) { waited_.Observe(absl::ToDoubleSeconds(waited)); }

void QueueMetrics::Finished(absl::Duration worked) {
  worked_.Observe(absl::ToDoubleSeconds(worked));
}

void QueueMetrics::SetUnfinished(absl::Duration sum, absl::Duration longest) {
  unfinished_.Set(absl::ToDoubleSeconds(sum));
  longest_.Set(absl::ToDoubleSeconds(longest));
}

}  // namespace steward::controllers

// The metrics of a work queue, by the names that Kubernetes' controllers use. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_QUEUE_QUEUE_METRICS_H_
#define CONTROLLERS_RUNTIME_QUEUE_QUEUE_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace steward::controllers {

// All have the labels name and controller:
//   workqueue_depth                              keys ready and not taken
//   workqueue_adds_total                         keys that became ready
//   workqueue_retries_total                      keys put back after a failure
//   workqueue_queue_duration_seconds             from being ready to being taken
//   workqueue_work_duration_seconds              from being taken to being done
//   workqueue_unfinished_work_seconds            the same so far, summed over all taken keys
//   workqueue_longest_running_processor_seconds  the longest of these
class QueueMetrics {
 public:
  // REQUIRES: `registry` outlives this object. Two objects with the same name share their series.
  QueueMetrics(prometheus::Registry& registry, const std::string& name);

  void SetDepth(size_t depth) { depth_.Set(static_cast<double>(depth)); }
  void Added() { adds_.Increment(); }
  void Retried() { retries_.Increment(); }
  void Taken(absl::Duration waited);
  void Finished(absl::Duration worked);
  void SetUnfinished(absl::Duration sum, absl::Duration longest);

 private:
  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Counter& retries_;
  prometheus::Histogram& waited_;
  prometheus::Histogram& worked_;
  prometheus::Gauge& unfinished_;
  prometheus::Gauge& longest_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_QUEUE_QUEUE_METRICS_H_

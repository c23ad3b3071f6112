// The metrics of reconciles, by the names that controller-runtime uses. Thread-safe.
#ifndef CONTROLLERS_RUNTIME_RECONCILE_METRICS_H_
#define CONTROLLERS_RUNTIME_RECONCILE_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

#include "absl/time/time.h"

namespace steward::controllers {

// All have the label controller:
//   controller_runtime_reconcile_total{result=success|requeue_after|error}
//   controller_runtime_reconcile_errors_total
//   controller_runtime_reconcile_time_seconds
//   controller_runtime_active_workers
//   controller_runtime_max_concurrent_reconciles
// A reconcile that was cancelled is not counted.
class ReconcileMetrics {
 public:
  enum class Result { kSuccess, kRequeueAfter, kError };

  // REQUIRES: `registry` outlives this object.
  ReconcileMetrics(prometheus::Registry& registry, const std::string& controller, size_t workers);

  void Ended(Result result, absl::Duration took);

  // Counts a worker as active while it lives.
  class Active {
   public:
    explicit Active(ReconcileMetrics& metrics) : gauge_(metrics.active_) { gauge_.Increment(); }
    ~Active() { gauge_.Decrement(); }
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;

   private:
    prometheus::Gauge& gauge_;
  };

 private:
  prometheus::Counter* totals_[3];
  prometheus::Counter& errors_;
  prometheus::Histogram& time_;
  prometheus::Gauge& active_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_RECONCILE_METRICS_H_

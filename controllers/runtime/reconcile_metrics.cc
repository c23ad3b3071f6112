#include "controllers/runtime/reconcile_metrics.h"

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

const prometheus::Histogram::BucketBoundaries& Buckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
      0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
      6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
  return buckets;
}

constexpr const char* kResults[] = {"success", "requeue_after", "error"};

}  // namespace

ReconcileMetrics::ReconcileMetrics(prometheus::Registry& registry, const std::string& controller,
                                   size_t workers)
    : errors_(CounterFamily(registry, "controller_runtime_reconcile_errors_total",
                            "Reconciles that ended with an error.")
                  .Add({{"controller", controller}})),
      time_(HistogramFamily(registry, "controller_runtime_reconcile_time_seconds",
                            "Seconds that a reconcile took.")
                .Add({{"controller", controller}}, Buckets())),
      active_(GaugeFamily(registry, "controller_runtime_active_workers", "Reconciles that run now.")
                  .Add({{"controller", controller}})) {
  auto& totals = CounterFamily(registry, "controller_runtime_reconcile_total",
                               "Reconciles, by how they ended.");
  for (size_t i = 0; i < std::size(kResults); ++i) {
    totals_[i] = &totals.Add({{"controller", controller}, {"result", kResults[i]}});
  }
  GaugeFamily(registry, "controller_runtime_max_concurrent_reconciles",
              "Reconciles that may run at a time.")
      .Add({{"controller", controller}})
      .Set(static_cast<double>(workers));
}

void ReconcileMetrics::Ended(Result result, absl::Duration took) {
  totals_[static_cast<size_t>(result)]->Increment();
  if (result == Result::kError) errors_.Increment();
  time_.Observe(absl::ToDoubleSeconds(took));
}

}  // namespace steward::controllers

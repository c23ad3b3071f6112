#include "controllers/copied_csv/copied_csv_metrics.h"

#include <string>

#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

prometheus::Counter& Writes(prometheus::Registry& registry, const char* operation) {
  return CounterFamily(registry, "steward_copied_csv_writes_total",
                       "Copies of ClusterServiceVersions that were written, by operation")
      .Add({{"operation", operation}});
}

}  // namespace

CopiedCsvMetrics::CopiedCsvMetrics(prometheus::Registry& registry)
    : copies_(GaugeFamily(registry, "steward_copied_csvs",
                          "ClusterServiceVersions with the label of a copy")
                  .Add({})),
      created_(Writes(registry, "create")),
      updated_(Writes(registry, "update")),
      deleted_(Writes(registry, "delete")) {
  auto& troubles = GaugeFamily(registry, "steward_copied_csv_slots_in_trouble",
                               "Places where a copy should be, and is not or does not stay right");
  for (size_t i = 0; i < kTroubles; ++i) {
    troubles_[i] = &troubles.Add({{"reason", std::string(NameOf(static_cast<Trouble>(i)))}});
  }
}

void CopiedCsvMetrics::ChangeTroubles(const Counts& before, const Counts& after) {
  for (size_t i = 0; i < kTroubles; ++i) {
    troubles_[i]->Increment(static_cast<double>(after[i]) - static_cast<double>(before[i]));
  }
}

void CopiedCsvMetrics::ForgetAll() {
  copies_.Set(0);
  for (prometheus::Gauge* gauge : troubles_) gauge->Set(0);
}

}  // namespace steward::controllers

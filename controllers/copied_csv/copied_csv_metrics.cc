#include "controllers/copied_csv/copied_csv_metrics.h"

#include <string>

namespace steward::controllers {
namespace {

prometheus::Counter& Writes(prometheus::Registry& registry, const char* operation) {
  return prometheus::BuildCounter()
      .Name("steward_copied_csv_writes_total")
      .Help("Copies of ClusterServiceVersions that were written, by operation")
      .Register(registry)
      .Add({{"operation", operation}});
}

}  // namespace

CopiedCsvMetrics::CopiedCsvMetrics(prometheus::Registry& registry)
    : copies_(prometheus::BuildGauge()
                  .Name("steward_copied_csvs")
                  .Help("ClusterServiceVersions with the label of a copy")
                  .Register(registry)
                  .Add({})),
      created_(Writes(registry, "create")),
      updated_(Writes(registry, "update")),
      deleted_(Writes(registry, "delete")) {
  auto& troubles = prometheus::BuildGauge()
                       .Name("steward_copied_csv_slots_in_trouble")
                       .Help("Places where a copy should be, and is not or does not stay right")
                       .Register(registry);
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

#include "controllers/copied_csv/known_copied_csvs.h"

#include <memory>

#include "controllers/copied_csv/copied_csv.h"
#include "controllers/copied_csv/copied_csv_metrics.h"
#include "controllers/families.h"
#include "controllers/runtime/parallel_writer.h"

namespace steward::controllers {
namespace {

struct CopiedCsvFlags {
  int concurrent_writes = 16;
};

// Names that are worked on at a time: originals of which many copies are written do not keep the
// copies of others waiting.
constexpr size_t kWorkers = 4;

ReconcilerFactory Prepare(const FlagValues& values, prometheus::Registry& registry) {
  ParallelWriterOptions options;
  options.width = static_cast<size_t>(values.Get<CopiedCsvFlags>().concurrent_writes);
  const auto metrics = std::make_shared<CopiedCsvMetrics>(registry);
  return [options, metrics](const ReconcilerDeps& deps) {
    return std::make_unique<CopiedCsvReconciler>(deps, *metrics, options);
  };
}

}  // namespace

KnownReconciler KnownCopiedCsvs() {
  KnownReconciler known;
  known.options.name = "copied-csvs";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Seconds(1);
  known.family = kCopiesFamily;
  known.conflicts_with = {OlmOperator::kOlmOperator};
  known.add_flags = [](FlagAdder& flags, FlagValues& values) {
    flags.Number("--concurrent-copied-csv-writes", values.Of<CopiedCsvFlags>().concurrent_writes, 1,
                 64,
                 "Copies of one ClusterServiceVersion that are written at a time, unless the "
                 "kube-apiserver asks for less");
  };
  known.prepare = Prepare;
  return known;
}

}  // namespace steward::controllers

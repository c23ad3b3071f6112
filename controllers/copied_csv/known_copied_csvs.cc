#include "controllers/copied_csv/known_copied_csvs.h"

#include <cstddef>
#include <utility>

#include "controllers/copied_csv/copied_csv.h"
#include "controllers/copied_csv/copied_csv_metrics.h"
#include "controllers/copies/toggle_flags.h"
#include "controllers/families.h"

namespace steward::controllers {
namespace {

struct CopiedCsvFlags {
  int concurrent_writes = 16;
};

// Several names at a time, so that an original with many copies to write does not delay the copies
// of others.
constexpr size_t kWorkers = 4;

void AddFlags(FlagAdder& adder, FlagValues& values) {
  adder.Number("--concurrent-copied-csv-writes", values.Of<CopiedCsvFlags>().concurrent_writes, 1,
               64,
               "Copies of one ClusterServiceVersion that are written at a time, unless the "
               "kube-apiserver asks for less");
  AddToggleFlags(adder, values);
}

}  // namespace

KnownReconciler KnownCopiedCsvs(std::shared_ptr<CopyState> copy_state) {
  KnownReconciler known;
  known.options.name = "copied-csvs";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Seconds(1);
  known.family = kCopiesFamily;
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.add_flags = AddFlags;
  known.check_flags = [](const FlagValues& values, bool) { return CheckToggleFlags(values); };
  known.prepare = [copy_state = std::move(copy_state)](
                      const FlagValues& values,
                      prometheus::Registry& registry) -> ReconcilerFactory {
    CopiedCsvReconciler::Options options;
    options.writer.width = static_cast<size_t>(values.Get<CopiedCsvFlags>().concurrent_writes);
    options.toggle = ToggleDefaultsOf(values);
    const auto metrics = std::make_shared<CopiedCsvMetrics>(registry);
    return [options, metrics, copy_state](const ReconcilerDeps& deps) {
      return std::make_unique<CopiedCsvReconciler>(deps, *metrics, *copy_state, options);
    };
  };
  return known;
}

}  // namespace steward::controllers

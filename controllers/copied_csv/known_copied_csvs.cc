#include "controllers/copied_csv/known_copied_csvs.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/copied_csv.h"
#include "controllers/copied_csv/copied_csv_metrics.h"
#include "controllers/families.h"
#include "kube/meta/names.h"

namespace steward::controllers {
namespace {

struct CopiedCsvFlags {
  int concurrent_writes = 16;
  bool disable = false;
  std::vector<std::string> protected_namespaces;
};

// Names that are worked on at a time: originals of which many copies are written do not keep the
// copies of others waiting.
constexpr size_t kWorkers = 4;

void AddFlags(FlagAdder& adder, FlagValues& values) {
  auto& flags = values.Of<CopiedCsvFlags>();
  adder.Number("--concurrent-copied-csv-writes", flags.concurrent_writes, 1, 64,
               "Copies of one ClusterServiceVersion that are written at a time, unless the "
               "kube-apiserver asks for less");
  adder.Switch("--disable-copied-csvs", flags.disable,
               "No copies of operators for all namespaces, where the OLMConfig \"cluster\" exists "
               "and says nothing about them; without that OLMConfig there are copies");
  adder.List("--protected-copied-csv-namespaces", flags.protected_namespaces,
             "Namespaces that have copies even where they are disabled");
}

absl::Status CheckFlags(const FlagValues& values) {
  for (const std::string& ns : values.Get<CopiedCsvFlags>().protected_namespaces) {
    if (kube::IsDns1123Label(ns)) continue;
    return absl::InvalidArgumentError(
        StrCat("--protected-copied-csv-namespaces: \"", ns, "\" is no name of a namespace"));
  }
  return absl::OkStatus();
}

}  // namespace

CopyToggleDefaults ToggleDefaultsOf(const FlagValues& values) {
  const auto flags = values.Get<CopiedCsvFlags>();
  CopyToggleDefaults defaults;
  defaults.disabled = flags.disable;
  defaults.protected_namespaces = {flags.protected_namespaces.begin(),
                                   flags.protected_namespaces.end()};
  return defaults;
}

KnownReconciler KnownCopiedCsvs(std::shared_ptr<CopiesBoard> board) {
  KnownReconciler known;
  known.options.name = "copied-csvs";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Seconds(1);
  known.family = kCopiesFamily;
  known.conflicts_with = {OlmOperator::kOlmOperator};
  known.add_flags = AddFlags;
  known.check_flags = CheckFlags;
  known.prepare = [board = std::move(board)](const FlagValues& values,
                                             prometheus::Registry& registry) -> ReconcilerFactory {
    CopiedCsvReconciler::Options options;
    options.writer.width = static_cast<size_t>(values.Get<CopiedCsvFlags>().concurrent_writes);
    options.toggle = ToggleDefaultsOf(values);
    const auto metrics = std::make_shared<CopiedCsvMetrics>(registry);
    return [options, metrics, board](const ReconcilerDeps& deps) {
      return std::make_unique<CopiedCsvReconciler>(deps, *metrics, *board, options);
    };
  };
  return known;
}

}  // namespace steward::controllers

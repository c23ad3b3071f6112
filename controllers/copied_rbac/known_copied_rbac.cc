#include "controllers/copied_rbac/known_copied_rbac.h"

#include <prometheus/registry.h>

#include <cstddef>
#include <memory>

#include "absl/time/time.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "controllers/copied_rbac/copied_rbac.h"
#include "controllers/copied_rbac/copied_rbac_metrics.h"
#include "controllers/families.h"
#include "controllers/runtime/parallel_writer.h"

namespace steward::controllers {
namespace {

// The number of namespaces with originals that are reconciled at the same time.
constexpr size_t kWorkers = 2;

struct CopiedRbacFlags {
  int concurrent_writes = 16;
};

}  // namespace

KnownReconciler KnownCopiedRbac() {
  KnownReconciler known;
  known.options.name = "copied-rbac";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Seconds(1);
  // Retry soon, because access must end within a minute of its reason.
  known.options.limits.max = absl::Seconds(10);
  known.family = kOperatorsFamily;
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.add_flags = [](FlagAdder& adder, FlagValues& values) {
    adder.Number("--concurrent-copied-rbac-writes", values.Of<CopiedRbacFlags>().concurrent_writes,
                 1, 64,
                 "Copies of Roles and RoleBindings of one namespace that are written at a time, "
                 "unless the kube-apiserver asks for less");
  };
  known.prepare = [](const FlagValues& values,
                     prometheus::Registry& registry) -> ReconcilerFactory {
    ParallelWriterOptions options;
    options.width = static_cast<size_t>(values.Get<CopiedRbacFlags>().concurrent_writes);
    const auto metrics = std::make_shared<CopiedRbacMetrics>(registry);
    return [options, metrics](const ReconcilerDeps& deps) {
      return std::make_unique<CopiedRbacReconciler>(deps, *metrics, options);
    };
  };
  return known;
}

}  // namespace steward::controllers

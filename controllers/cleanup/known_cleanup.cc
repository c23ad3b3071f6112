#include "controllers/cleanup/known_cleanup.h"

#include <memory>

#include "controllers/cleanup/cleanup_flags.h"
#include "controllers/cleanup/cleanup_reconciler.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/families.h"

namespace steward::controllers {
namespace {

ReconcilerFactory Prepare(const FlagValues& values, prometheus::Registry& registry) {
  const CleanupFlags flags = values.Get<CleanupFlags>();
  CleanupOptions options;
  options.cleaner.stall_timeout = flags.stall_timeout;
  options.cleaner.guards = GuardsOf(flags);
  options.cleaner.reporter.failure_condition = flags.failure_condition;
  const auto metrics = std::make_shared<CleanupMetrics>(registry);
  return [options, metrics](const ReconcilerDeps& deps) {
    return std::make_unique<CleanupReconciler>(deps, *metrics, options);
  };
}

}  // namespace

KnownReconciler KnownCleanup() {
  return {
      .options = CleanupControllerOptions(),
      .family = kCleanupFamily,
      .by_default = true,
      .add_flags = [](FlagAdder& flags,
                      FlagValues& values) { AddCleanupFlags(flags, values.Of<CleanupFlags>()); },
      .check_flags = [](const FlagValues& values,
                        bool) { return CheckCleanupFlags(values.Get<CleanupFlags>()); },
      .prepare = Prepare};
}

}  // namespace steward::controllers

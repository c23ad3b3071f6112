#include "controllers/operator/known_operators.h"

#include <cstddef>

#include "absl/time/time.h"
#include "controllers/families.h"
#include "controllers/operator/operator_flags.h"
#include "controllers/operator/operator_metrics.h"
#include "controllers/operator/operator_reconciler.h"

namespace steward::controllers {
namespace {

constexpr size_t kWorkers = 4;

void AddFlags(FlagAdder& adder, FlagValues& values) {
  adder.Switch("--operator-secrets", values.Of<OperatorFlags>().secrets,
               "Show Secrets among the components of Operators; whoever may list them may read "
               "their contents");
}

}  // namespace

KnownReconciler KnownOperators() {
  KnownReconciler known;
  known.options.name = "operators";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Milliseconds(100);
  known.options.limits.max = absl::Seconds(30);
  known.family = kOperatorsFamily;
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.add_flags = AddFlags;
  known.prepare = PrepareReconciler<OperatorReconciler, OperatorMetrics, OperatorFlags>;
  return known;
}

}  // namespace steward::controllers

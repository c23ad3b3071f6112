#include "cmd/steward/reconcilers.h"

#include "controllers/cleanup/known_cleanup.h"
#include "controllers/copied_csv/known_copied_csvs.h"
#include "controllers/operator_group/operator_group.h"

namespace steward {

const std::vector<controllers::KnownReconciler>& KnownReconcilers() {
  // Each reconciler has one line.
  static const auto& known = *new std::vector<controllers::KnownReconciler>{
      controllers::KnownCleanup(),
      controllers::KnownOperatorGroups(),
      controllers::KnownCopiedCsvs(),
  };
  return known;
}

std::vector<FeatureGate> KnownFeatureGates() { return {}; }

}  // namespace steward

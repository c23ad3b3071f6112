#include "cmd/steward/reconcilers.h"

#include <memory>

#include "controllers/cleanup/known_cleanup.h"
#include "controllers/copied_csv/known_copied_csvs.h"
#include "controllers/copies/copies_board.h"
#include "controllers/olm_config/known_olm_config.h"
#include "controllers/operator_group/operator_group.h"

namespace steward {
namespace {

std::vector<controllers::KnownReconciler> MakeAll() {
  const auto copies = std::make_shared<controllers::CopiesBoard>();
  // Each reconciler has one line.
  return {
      controllers::KnownCleanup(),
      controllers::KnownOperatorGroups(),
      controllers::KnownCopiedCsvs(copies),
      controllers::KnownOlmConfig(copies),
  };
}

}  // namespace

const std::vector<controllers::KnownReconciler>& KnownReconcilers() {
  static const auto& known = *new std::vector<controllers::KnownReconciler>(MakeAll());
  return known;
}

std::vector<FeatureGate> KnownFeatureGates() { return {}; }

}  // namespace steward

#include "cmd/steward/reconcilers.h"

#include <memory>

#include "controllers/apiservice_guard/known_apiservice_guard.h"
#include "controllers/certificates/known_certificates.h"
#include "controllers/cleanup/known_cleanup.h"
#include "controllers/copied_csv/known_copied_csvs.h"
#include "controllers/copied_rbac/known_copied_rbac.h"
#include "controllers/copies/copy_state.h"
#include "controllers/csv_finalizer/csv_finalizer.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/install_plan/known_install_plans.h"
#include "controllers/olm_config/known_olm_config.h"
#include "controllers/operator/known_operators.h"
#include "controllers/operator_group/operator_group.h"
#include "controllers/payload/known_payload.h"

namespace steward {
namespace {

std::vector<controllers::KnownReconciler> MakeAll() {
  const auto copies = std::make_shared<controllers::CopyState>();
  // Each reconciler has one line.
  return {
      controllers::KnownCleanup(),          controllers::KnownOperatorGroups(),
      controllers::KnownCopiedCsvs(copies), controllers::KnownOlmConfig(copies),
      controllers::KnownInstallPlans(),     controllers::KnownPayload(),
      controllers::KnownCsvFinalizer(),     controllers::KnownOperators(),
      controllers::KnownCopiedRbac(),       controllers::KnownCertificates(),
      controllers::KnownApiServiceGuard(),  controllers::KnownApiServiceRemoval(),
      controllers::KnownMetricsToken(),
  };
}

}  // namespace

const std::vector<controllers::KnownReconciler>& KnownReconcilers() {
  static const auto& known = *new std::vector<controllers::KnownReconciler>(MakeAll());
  return known;
}

std::vector<FeatureGate> KnownFeatureGates() {
  return {
      // R-002-56, R-002-57
      {controllers::kOptionalManifestsGate, false,
       "Go on with an install plan whose optional manifests cannot be created. The gate goes, and "
       "the feature stays, once negative feedback is addressed, no problem of resilience is known "
       "and the API was stable for three months; otherwise both are deprecated and removed."},
  };
}

}  // namespace steward

// Describes the reconciler "install-plans" for `steward controllers`. Immutable.
#ifndef CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_
#define CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler belongs to the family "install-plans" and conflicts with catalog-operator. It adds
// --install-plan-retry-timeout and obeys the feature gate OptionalManifests.
KnownReconciler KnownInstallPlans();

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

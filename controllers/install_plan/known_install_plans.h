// The reconciler "install-plans" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_
#define CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "install-plans", conflicts with catalog-operator, adds
// --install-plan-retry-timeout, and obeys the feature gate OptionalManifests.
KnownReconciler KnownInstallPlans();

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

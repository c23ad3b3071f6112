// The reconciler "install-plans" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_
#define CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// Of the family "install-plans". Conflicts with catalog-operator. Adds
// --install-plan-retry-timeout; obeys the feature gate OptionalManifests.
KnownReconciler KnownInstallPlans();

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_KNOWN_INSTALL_PLANS_H_

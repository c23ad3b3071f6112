// The reconciler "apiservice-guard" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_
#define CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// Of the family "apiservice-guard", which uses no Worlds.
KnownReconciler KnownApiServiceGuard();

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_

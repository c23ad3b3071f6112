// The reconcilers "apiservice-guard" and "apiservice-removal" as `steward controllers` knows them.
// Immutable.
#ifndef CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_
#define CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// Both are of the family "apiservice-guard", which uses no Worlds. Both use the flags that
// "apiservice-guard" adds.
KnownReconciler KnownApiServiceGuard();
KnownReconciler KnownApiServiceRemoval();

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_KNOWN_APISERVICE_GUARD_H_

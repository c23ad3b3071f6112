// The entry of "cleanup" in the list of reconcilers. Thread-safe.
#ifndef CONTROLLERS_CLEANUP_KNOWN_CLEANUP_H_
#define CONTROLLERS_CLEANUP_KNOWN_CLEANUP_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The flags of the reconciler set a CleanupFlags value.
KnownReconciler KnownCleanup();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_KNOWN_CLEANUP_H_

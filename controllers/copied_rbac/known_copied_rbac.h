// Describes the reconciler "copied-rbac" for `steward controllers`. Immutable.
#ifndef CONTROLLERS_COPIED_RBAC_KNOWN_COPIED_RBAC_H_
#define CONTROLLERS_COPIED_RBAC_KNOWN_COPIED_RBAC_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler belongs to the family "operators" and conflicts with olm-operator. It adds
// --concurrent-copied-rbac-writes.
KnownReconciler KnownCopiedRbac();

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_KNOWN_COPIED_RBAC_H_

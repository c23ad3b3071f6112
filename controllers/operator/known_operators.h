// The reconciler "operators" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_OPERATOR_KNOWN_OPERATORS_H_
#define CONTROLLERS_OPERATOR_KNOWN_OPERATORS_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "operators", conflicts with olm-operator, and adds
// --operator-secrets.
KnownReconciler KnownOperators();

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_KNOWN_OPERATORS_H_

// The reconciler "metrics-token" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_CERTIFICATES_KNOWN_METRICS_TOKEN_H_
#define CONTROLLERS_CERTIFICATES_KNOWN_METRICS_TOKEN_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "certificates".
KnownReconciler KnownMetricsToken();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_KNOWN_METRICS_TOKEN_H_

// The reconcilers "certificates" and "metrics-token" as `steward controllers` knows them.
// Immutable.
#ifndef CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_
#define CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler "certificates" of the family "certificates", which uses no Worlds.
KnownReconciler KnownCertificates();
// The reconciler "metrics-token", of the same family.
KnownReconciler KnownMetricsToken();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_

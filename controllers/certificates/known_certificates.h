// The reconciler "certificates" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_
#define CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "certificates", which uses no Worlds.
KnownReconciler KnownCertificates();

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_KNOWN_CERTIFICATES_H_

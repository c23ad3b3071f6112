// Describes the reconciler "payload" for `steward controllers`. Immutable.
#ifndef CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_
#define CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler belongs to the family "payload", which uses no Worlds. It conflicts with
// cluster-version-operator. It adds the required flag --payload-dir and the flags of
// payload::PayloadFlags.
KnownReconciler KnownPayload();

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

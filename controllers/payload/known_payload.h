// The reconciler "payload" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_
#define CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "payload", which uses no Worlds, conflicts with
// cluster-version-operator, and adds --payload-dir, which it needs, and the flags of
// payload::PayloadFlags.
KnownReconciler KnownPayload();

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

// The reconciler "payload" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_
#define CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// Of the family "payload", which uses no Worlds. Conflicts with cluster-version-operator. Adds
// --payload-dir, which it needs, and the flags of payload::PayloadFlags.
KnownReconciler KnownPayload();

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_KNOWN_PAYLOAD_H_

// The reconciler "olm-config" as `steward controllers` knows it. Immutable.
#ifndef CONTROLLERS_OLM_CONFIG_KNOWN_OLM_CONFIG_H_
#define CONTROLLERS_OLM_CONFIG_KNOWN_OLM_CONFIG_H_

#include <memory>

#include "controllers/copies/copy_state.h"
#include "controllers/runtime/known_reconciler.h"

namespace steward::controllers {

// The reconciler is of the family "copies", conflicts with olm-operator, and needs "copied-csvs",
// whose state it reads from `copy_state`. It uses the flags of "copied-csvs".
KnownReconciler KnownOlmConfig(std::shared_ptr<CopyState> copy_state);

}  // namespace steward::controllers

#endif  // CONTROLLERS_OLM_CONFIG_KNOWN_OLM_CONFIG_H_

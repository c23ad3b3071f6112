// The list of the reconcilers that `steward controllers` can run. Thread-safe.
#ifndef CMD_STEWARD_RECONCILERS_H_
#define CMD_STEWARD_RECONCILERS_H_

#include <vector>

#include "base/flags/feature_gates.h"
#include "controllers/runtime/known_reconciler.h"

namespace steward {

// The reconcilers in the order in which they are started.
const std::vector<controllers::KnownReconciler>& KnownReconcilers();

// The gates that --feature-gates accepts.
std::vector<FeatureGate> KnownFeatureGates();

}  // namespace steward

#endif  // CMD_STEWARD_RECONCILERS_H_

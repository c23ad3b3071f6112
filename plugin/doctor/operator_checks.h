// The checks of what Steward does for the cluster's operators. Run on the caller's executor.
#ifndef PLUGIN_DOCTOR_OPERATOR_CHECKS_H_
#define PLUGIN_DOCTOR_OPERATOR_CHECKS_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

// REQUIRES: `environment` outlives the tasks.
namespace steward::plugin {

// No part of Steward waits for an operator of OLM's, or the platform's, that does the same work.
VoidTask CheckPeers(Environment& environment);
// Copied ClusterServiceVersions are what the OLMConfig wants, or somebody sees to that.
VoidTask CheckCopies(Environment& environment);
// Every opt-in counts (R-000-76), and no cleanup has stalled.
VoidTask CheckCleanups(Environment& environment);
// Operators' rights are held for operators that are opted in, and for no others (R-000-73).
VoidTask CheckHeldRights(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_OPERATOR_CHECKS_H_

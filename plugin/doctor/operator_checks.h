// The checks of what Steward does for the cluster's operators. Run on the caller's executor.
#ifndef PLUGIN_DOCTOR_OPERATOR_CHECKS_H_
#define PLUGIN_DOCTOR_OPERATOR_CHECKS_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

// REQUIRES: `environment` outlives the tasks.
namespace steward::plugin {

// No part of Steward is idle because an operator of OLM's, or the platform's, does the same work.
VoidTask CheckPeers(Environment& environment);
// The copied ClusterServiceVersions are as the OLMConfig wants, or a program runs that will make
// them so.
VoidTask CheckCopies(Environment& environment);
// Every opt-in counts (R-000-76), and no cleanup has stalled.
VoidTask CheckCleanups(Environment& environment);
// Operators' rights are held for operators that are opted in, and for no others (R-000-73).
VoidTask CheckHeldRights(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_OPERATOR_CHECKS_H_

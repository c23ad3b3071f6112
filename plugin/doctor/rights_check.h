// The check of what Steward's accounts may do. Runs on the caller's executor.
#ifndef PLUGIN_DOCTOR_RIGHTS_CHECK_H_
#define PLUGIN_DOCTOR_RIGHTS_CHECK_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

namespace steward::plugin {

// Compares the roles and bindings of the installed folders of deploy/ with those of the cluster. A
// missing right is a failure; a right beyond those shipped is a warning. Rights that users add by
// aggregated roles are not judged. REQUIRES: `environment` outlives the task.
VoidTask CheckRights(Environment& environment);

// Checks that the admission policies of these folders are as shipped, and in force.
VoidTask CheckPolicies(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_RIGHTS_CHECK_H_

// The check of what Steward's accounts may do. Runs on the caller's executor.
#ifndef PLUGIN_DOCTOR_RIGHTS_CHECK_H_
#define PLUGIN_DOCTOR_RIGHTS_CHECK_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

namespace steward::plugin {

// Compares the roles and bindings of the folders of deploy/ that are installed with those of the
// cluster: what is missing fails, what is more than shipped is a warning. The roles that users
// aggregate are theirs. REQUIRES: `environment` outlives the task.
VoidTask CheckRights(Environment& environment);

// Compares the admission policies of these folders, and whether they are in force.
VoidTask CheckPolicies(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_RIGHTS_CHECK_H_

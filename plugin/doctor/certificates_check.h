// The check of the certificates with which Steward's processes serve and identify themselves. Runs
// on the caller's executor.
#ifndef PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_
#define PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

namespace steward::plugin {

// Checks the certificates in the Secrets that Steward's Deployments mount: each must exist, and
// have more than a sixth of its life left. (Whoever keeps it renews it when a third is left.)
// REQUIRES: `environment` outlives the task.
VoidTask CheckCertificates(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_

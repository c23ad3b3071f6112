// The check of the certificates that Steward's processes are served and known by. Runs on the
// caller's executor.
#ifndef PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_
#define PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

namespace steward::plugin {

// Reads the certificates of the Secrets that Steward's Deployments mount: each is there, and more
// than a sixth of its life is left; its keeper renews it at a third. REQUIRES: `environment`
// outlives the task.
VoidTask CheckCertificates(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_CERTIFICATES_CHECK_H_

// The checks of whether Steward runs and answers. Run on the caller's executor.
#ifndef PLUGIN_DOCTOR_SERVICE_CHECKS_H_
#define PLUGIN_DOCTOR_SERVICE_CHECKS_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

// REQUIRES: `environment` outlives the tasks.
namespace steward::plugin {

// Every Deployment of Steward has all its replicas.
VoidTask CheckDeployments(Environment& environment);
// All of them run one image, and the API server is of this program's version.
VoidTask CheckVersions(Environment& environment);
// The kube-apiserver calls the API available.
VoidTask CheckApiService(Environment& environment);
// The API server's Service leads to replicas that are ready.
VoidTask CheckEndpoints(Environment& environment);
// The guard runs, and has withdrawn nothing.
VoidTask CheckGuard(Environment& environment);
// A leader renews the Lease of each Deployment that elects one.
VoidTask CheckLeaders(Environment& environment);
// The API server answers from the cluster's newest state.
VoidTask CheckFreshness(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_SERVICE_CHECKS_H_

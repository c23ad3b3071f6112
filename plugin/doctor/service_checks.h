// The checks of whether Steward runs and answers. Run on the caller's executor.
#ifndef PLUGIN_DOCTOR_SERVICE_CHECKS_H_
#define PLUGIN_DOCTOR_SERVICE_CHECKS_H_

#include "base/async/task.h"
#include "plugin/doctor/environment.h"

// REQUIRES: `environment` outlives the tasks.
namespace steward::plugin {

// Every Deployment of Steward has all its replicas.
VoidTask CheckDeployments(Environment& environment);
// All Deployments of Steward run one image, and the API server has the version of this program.
VoidTask CheckVersions(Environment& environment);
// The kube-apiserver reports the API as available.
VoidTask CheckApiService(Environment& environment);
// The API server's Service has endpoints that are ready.
VoidTask CheckEndpoints(Environment& environment);
// The guard (apiservice-guard) runs, and has not withdrawn the APIService.
VoidTask CheckGuard(Environment& environment);
// A leader renews the Lease of each Deployment that elects one.
VoidTask CheckLeaders(Environment& environment);
// The API server answers from the cluster's newest state.
VoidTask CheckFreshness(Environment& environment);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_SERVICE_CHECKS_H_

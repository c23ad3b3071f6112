// Tries a plan by dry runs before its first write. A coroutine on the caller's executor.
#ifndef CONTROLLERS_PREVIEW_REHEARSAL_H_
#define CONTROLLERS_PREVIEW_REHEARSAL_H_

#include <optional>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/user_info.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

struct RehearsalDeps {
  kube::Client& client;      // the executor's client; only reads and dry runs are sent
  kube::RestMapper& mapper;  // uses `client`
  Clock& clock;
  // The account that writes the steps, if the OperatorGroup names one.
  std::optional<kube::UserInfo> account;
  bool optional_manifests = false;  // the feature gate
};

// Tries every step of the plan as its preview does (PlanDryRun), so that no half installation stays
// behind. Fails with the error of the first step that the cluster or a rule of the executor would
// refuse, and names the step. Returns OK if no step is known to fail; the execution finds other
// errors. REQUIRES: the arguments, and what `deps` refers to, outlive the call.
StatusTask Rehearse(const RehearsalDeps& deps, const olm::InstallPlan& plan);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_REHEARSAL_H_

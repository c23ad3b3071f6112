// The trial of a plan before its first write. A coroutine on the caller's executor.
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
  kube::Client& client;      // the executor's; nothing but dry runs are sent
  kube::RestMapper& mapper;  // of `client`
  Clock& clock;
  // As whom the steps are written, where an OperatorGroup says so.
  std::optional<kube::UserInfo> account;
  bool optional_manifests = false;  // the gate
};

// Tries every step of the plan as its preview does (PlanDryRun). The error is that of the first
// step that would fail, and names it: what the cluster refuses, or a rule of the executor, so that
// half of an installation does not stay behind. OK where none is known to fail: what cannot be told
// beforehand is told by the execution. REQUIRES: the arguments, and what `deps` refers to, outlive
// the call.
StatusTask Rehearse(const RehearsalDeps& deps, const olm::InstallPlan& plan);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_REHEARSAL_H_

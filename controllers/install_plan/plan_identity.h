// As whom the steps of an InstallPlan are written. A coroutine on the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_PLAN_IDENTITY_H_
#define CONTROLLERS_INSTALL_PLAN_PLAN_IDENTITY_H_

#include <optional>
#include <string>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/user_info.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

struct PlanIdentity {
  std::string waits;  // what is missing before a step may be done; "" = nothing
  // True if what is missing comes with a change of the plan or of the namespace's OperatorGroups.
  bool told = true;
  // The service account that the namespace's OperatorGroup names, of every step but definitions;
  // nullopt: the executor itself.
  std::optional<kube::UserInfo> account;
};

// Reads the OperatorGroups of the plan's namespace with `client`, the executor's own. A plan waits
// for a single one, for its account, and for bundles that are to be unpacked. REQUIRES: the
// arguments outlive the call.
Task<PlanIdentity> IdentityOf(kube::Client& client, const olm::InstallPlan& plan);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PLAN_IDENTITY_H_

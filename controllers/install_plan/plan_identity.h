// Finds the identity that writes the steps of an InstallPlan. A coroutine on the caller's executor.
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
  std::string waits;  // the reason why no step may be done yet; "" = none
  // True if a watch will report the end of the wait, as a change of the plan or of the namespace's
  // OperatorGroups.
  bool told = true;
  // The service account that the namespace's OperatorGroup names; it writes every step except
  // definitions. Nullopt: the executor itself.
  std::optional<kube::UserInfo> account;
};

// Reads the OperatorGroups of the plan's namespace with `client`, the executor's own. A plan waits
// until there is exactly one OperatorGroup, its account exists, and all bundles are unpacked.
// REQUIRES: the arguments outlive the call.
Task<PlanIdentity> IdentityOf(kube::Client& client, const olm::InstallPlan& plan);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_PLAN_IDENTITY_H_

// The versions by which custom resources are listed. Runs on the caller's executor.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_SERVED_VERSIONS_H_
#define CONTROLLERS_CLEANUP_OPERANDS_SERVED_VERSIONS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/plan.h"

namespace steward::controllers {

// Calls `list` with the definition's storage version and then, because a conversion webhook may be
// dead, with the other served versions, until a call succeeds or its list expired. Returns the
// first error when none succeeds. REQUIRES: `plan` outlives the call.
inline StatusTask ListByAnyVersion(const olm::CrdPlan& plan,
                                   std::function<StatusTask(std::string version)> list) {
  absl::Status first = absl::UnavailableError("it has no served version");
  for (size_t i = 0; i < plan.versions.size(); ++i) {
    const absl::Status status = co_await list(plan.versions[i]);
    if (status.ok() || kube::IsExpired(status)) co_return status;
    if (i == 0) first = status;
  }
  co_return first;
}

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_SERVED_VERSIONS_H_

// Further tries of lists that failed: from the beginning, or by another version of the resource.
// Run on the caller's executor.
#ifndef KUBE_CLIENT_LIST_TRIES_H_
#define KUBE_CLIENT_LIST_TRIES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"

namespace steward::kube {

// Runs `list`, which lists from the beginning, again while its pages expire (IsExpired), four times
// in all. Returns its last result.
StatusTask RestartExpired(std::function<StatusTask()> list);

// Calls `list` with one version after another until a call succeeds, because the conversion webhook
// of some may be dead. Stops at a list that expired, and returns that error. Else returns the first
// error; kUnavailable if there are no versions.
StatusTask ListByAnyVersion(std::vector<std::string> versions,
                            std::function<StatusTask(std::string version)> list);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_LIST_TRIES_H_

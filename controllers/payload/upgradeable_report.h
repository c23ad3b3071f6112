// The ClusterOperator that says whether the payload's removals hold minor updates back. A coroutine
// on the caller's executor.
#ifndef CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_
#define CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_

#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"

namespace steward::controllers {

// Sets the condition Upgradeable of ClusterOperator steward-payload, where the cluster has that
// kind: False, with the reason ResourceDeletesInProgress and `holding` as its message, or True
// where `holding` is "" (R-003-20). It is made when there is none, and not written where it says so
// already. REQUIRES: the references outlive the task.
StatusTask ReportUpgradeable(kube::Client& client, kube::RestMapper& mapper, Clock& clock,
                             std::string holding);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_

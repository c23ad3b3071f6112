// Reports in a ClusterOperator whether the payload's removals hold minor updates back. A coroutine
// on the caller's executor.
#ifndef CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_
#define CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_

#include <string>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"

namespace steward::controllers {

// Sets the condition Upgradeable of ClusterOperator steward-payload, if the cluster has that kind.
// It becomes False, with the reason ResourceDeletesInProgress and the message `holding`, or True if
// `holding` is "" (R-003-20). A missing object is created; an object that already says so is not
// written. REQUIRES: the references outlive the task.
StatusTask ReportUpgradeable(kube::Client& client, kube::RestMapper& mapper, Clock& clock,
                             std::string holding);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PAYLOAD_UPGRADEABLE_REPORT_H_

// Tries the changes of a page on the cluster by dry runs. A coroutine on the caller's executor.
#ifndef CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_
#define CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_

#include <functional>

#include "base/async/task.h"
#include "controllers/copies/copies_difference.h"
#include "controllers/rpc/copied_csv/change_page.h"
#include "kube/dry_run/dry_run_client.h"
#include "olm/preview/preview.h"

namespace steward::rpc {

// Sets the outcome of each change of a page of `difference` and returns the changes as steps of a
// preview. Copies are created and deleted by dry runs, as the reconciler "copied-csvs" would do it.
// Each dry run awaits `pace`; null: no wait. REQUIRES: the references outlive the task.
Task<olm::PlanPreview> TryChanges(kube::DryRunClient& client,
                                  const controllers::CopiesDifference& difference,
                                  const std::function<VoidTask()>& pace, ShownChanges& shown);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_

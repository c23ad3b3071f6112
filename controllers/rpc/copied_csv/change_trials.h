// The cluster's answers to the changes of a page, were they made. A coroutine on the caller's
// executor.
#ifndef CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_
#define CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_

#include <functional>

#include "base/async/task.h"
#include "controllers/copies/copies_difference.h"
#include "kube/dry_run/dry_run_client.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {

// Sets the outcome of each change of `page`, which is of `difference`: copies are created and
// deleted by dry runs, as the reconciler "copied-csvs" would do it; each waits for `pace` (null:
// for nothing). REQUIRES: the references outlive the task.
VoidTask TryChanges(kube::DryRunClient& client, const controllers::CopiesDifference& difference,
                    const std::function<VoidTask()>& pace, copiedcsv::v1::PreviewResponse& page);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_CHANGE_TRIALS_H_

// What a preview of an uninstallation says of single operands. Coroutines on the caller's executor.
#ifndef CONTROLLERS_RPC_CLEANUP_OPERAND_PREVIEWS_H_
#define CONTROLLERS_RPC_CLEANUP_OPERAND_PREVIEWS_H_

#include <cstddef>
#include <functional>

#include "base/async/task.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::rpc {

// Adds to `out` those of the first `max` operands of `preview` that `may_list` shows, and counts
// the others. What would be deleted is tried (CleanupInspector::TryDelete); of the cluster's answer
// the code and the reason are told, as its words may be about what the requester may not see. One
// that is gone meanwhile is left out. `pace` is what each try waits for; null: for nothing.
// REQUIRES: the references outlive the task.
StatusTask WriteOperands(controllers::CleanupInspector& inspector,
                         const controllers::CleanupPreview& preview, size_t max,
                         const MayList& may_list, const std::function<VoidTask()>& pace,
                         cleanup::v1::PreviewResponse& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_OPERAND_PREVIEWS_H_

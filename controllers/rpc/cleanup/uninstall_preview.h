// What uninstalling an operator would do to it, to its operands and to its definitions. Coroutines
// on the caller's executor.
#ifndef CONTROLLERS_RPC_CLEANUP_UNINSTALL_PREVIEW_H_
#define CONTROLLERS_RPC_CLEANUP_UNINSTALL_PREVIEW_H_

#include <cstddef>
#include <functional>

#include "base/async/task.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/bridge/page_visibility.h"
#include "kube/meta/names.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::rpc {

// Adds to `out` the operands and the preview of the whole. Told are those of the first `max`
// operands of `found` that `may_list` shows; the others are counted. What would be deleted is tried
// (CleanupInspector::TryDelete); of the cluster's answer the code and the reason are told, as its
// words may be about what the requester may not see. An operand that is gone meanwhile is left out.
// `pace` is what each try waits for; null: for nothing. REQUIRES: `out` says whether the requester
// may delete the operator; the references outlive the task.
StatusTask WriteUninstall(controllers::CleanupInspector& inspector, const kube::NamespacedName& csv,
                          const controllers::CleanupPreview& found, size_t max,
                          const MayList& may_list, const std::function<VoidTask()>& pace,
                          cleanup::v1::PreviewResponse& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_UNINSTALL_PREVIEW_H_

// Previews the effect of an uninstallation on the operator, its operands and its definitions.
// Coroutines on the caller's executor.
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

// Adds the operands and the overall preview to `out`. Of the first `max` operands of `found`, those
// that `may_list` allows are named; the others are counted. Deletions are tried
// (CleanupInspector::TryDelete). Only the code and reason of the cluster's answer are shown,
// because its message may reveal objects that the requester may not see. An operand that is gone
// meanwhile is left out. Each try awaits `pace`; null: no wait. REQUIRES: `out` says whether the
// requester may delete the operator; the references outlive the task.
StatusTask WriteUninstall(controllers::CleanupInspector& inspector, const kube::NamespacedName& csv,
                          const controllers::CleanupPreview& found, size_t max,
                          const MayList& may_list, const std::function<VoidTask()>& pace,
                          cleanup::v1::PreviewResponse& out);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_UNINSTALL_PREVIEW_H_

// The messages of PlanService, written from previews. Pure functions.
#ifndef CONTROLLERS_RPC_PLAN_MESSAGES_H_
#define CONTROLLERS_RPC_PLAN_MESSAGES_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "olm/preview/plan_outlook.h"
#include "olm/preview/preview.h"
#include "proto/steward/plan/v1/plan.pb.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::rpc {

// An answer, as each item of a list or a watch, must fit into a message of 4 MiB.
inline constexpr size_t kMaxPreviewBytes = (4 << 20) - (64 << 10);

// `optional_manifests` is the gate. A preview larger than `max_bytes` has no messages of steps, and
// one that is larger even then no steps; its condition says so.
void WritePlanPreview(const olm::PlanOutlook& outlook, bool optional_manifests,
                      plan::v1::PlanPreview& out, size_t max_bytes = kMaxPreviewBytes);

// Writes the steps that are `shown`, one for each, and counts the others. An answer larger than
// `max_bytes` has no values of changed fields, then no messages, warnings and changed fields of
// steps, and its condition says so; one that is larger even then is a 400. The condition of a
// preview that hides steps does not tell which of them makes the plan invalid.
absl::Status WriteLivePreview(const olm::PlanPreview& preview, const std::vector<bool>& shown,
                              plan::v1::PreviewResponse& out, size_t max_bytes = kMaxPreviewBytes);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_PLAN_MESSAGES_H_

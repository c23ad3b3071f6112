// Writes the messages of PlanService from previews. Pure functions.
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

// Writes a preview by rules. `optional_manifests` is the feature gate. If the preview exceeds
// `max_bytes`, the steps' messages are left out, and if that is not enough, all steps; the
// condition says so.
void WritePlanPreview(const olm::PlanOutlook& outlook, bool optional_manifests,
                      plan::v1::PlanPreview& out, size_t max_bytes = kMaxPreviewBytes);

// Writes the steps for which `shown` is true and counts the others; `shown` has one entry per step.
// If the answer exceeds `max_bytes`, first the values of changed fields are left out, then the
// messages, warnings and changed fields of steps, and the condition says so. If it is still too
// large, the result is a 400. If steps are hidden, the condition does not tell which step makes the
// plan invalid.
absl::Status WriteLivePreview(const olm::PlanPreview& preview, const std::vector<bool>& shown,
                              plan::v1::PreviewResponse& out, size_t max_bytes = kMaxPreviewBytes);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_PLAN_MESSAGES_H_

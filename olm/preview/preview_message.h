// Converts previews from and to messages of gRPC. Pure functions.
#ifndef OLM_PREVIEW_PREVIEW_MESSAGE_H_
#define OLM_PREVIEW_PREVIEW_MESSAGE_H_

#include "olm/preview/preview.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::olm {

void WriteCondition(const PlanCondition& condition, plan::v1::Condition& out);
void WriteStep(const PreviewStep& step, plan::v1::Step& out);
void WritePreview(const PlanPreview& preview, plan::v1::PreviewResponse& out);

// Reads a preview. Values of changes that are not JSON are left out, because they would break a
// document that contains them.
PlanPreview ReadPreview(plan::v1::PreviewResponse response);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PREVIEW_MESSAGE_H_

// Previews as gRPC tells them. Pure functions.
#ifndef OLM_PREVIEW_PREVIEW_MESSAGE_H_
#define OLM_PREVIEW_PREVIEW_MESSAGE_H_

#include "olm/preview/preview.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::olm {

void WriteCondition(const PlanCondition& condition, plan::v1::Condition& out);
void WriteStep(const PreviewStep& step, plan::v1::Step& out);
void WritePreview(const PlanPreview& preview, plan::v1::PreviewResponse& out);

// Values of changes that are no JSON, which would break a document that they become a part of, are
// left out.
PlanPreview ReadPreview(plan::v1::PreviewResponse response);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PREVIEW_MESSAGE_H_

#include "olm/preview/preview_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "olm/preview/preview.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;

PreviewStep Full() {
  PreviewStep step;
  step.index = 6;
  step.resolving = "w.v1";
  step.gvk = {"apps", "v1", "Deployment"};
  step.ns = "ops";
  step.name = "w";
  step.declared_optional = step.optional = true;
  step.outcome = Outcome::kUpdate;
  step.basis = Basis::kDryRun;
  step.reason = "Differs";
  step.code = 200;
  step.message = "it differs";
  step.changed_fields = {"spec.replicas"};
  step.changes = {{"spec.replicas", "1", "2"}};
  step.warnings = {"spec.paused is old"};
  step.status = "Unknown";
  return step;
}

TEST(PreviewMessageTest, WhatIsWrittenIsRead) {
  PlanPreview preview;
  preview.condition = {true, "Approved", "go"};
  preview.steps = {Full(), PreviewStep()};
  preview.hidden = 3;
  preview.remaining = 4;
  plan::v1::PreviewResponse response;
  WritePreview(preview, response);
  EXPECT_EQ(response.steps(0).index(), 7);
  EXPECT_EQ(response.steps(0).outcome(), "Update");
  EXPECT_EQ(response.steps(0).basis(), "DryRun");
  const PlanPreview read = ReadPreview(response);
  EXPECT_EQ(read.condition, preview.condition);
  EXPECT_EQ(read.steps, preview.steps);
  EXPECT_EQ(read.hidden, 3);
  EXPECT_EQ(read.remaining, 4);
}

TEST(PreviewMessageTest, WhatCannotBeUnderstoodIsUnknownOrLeftOut) {
  plan::v1::PreviewResponse response;
  plan::v1::Step& step = *response.add_steps();
  step.set_outcome("SomethingNew");
  step.set_basis("Rumour");
  plan::v1::Change& broken = *step.add_changes();
  broken.set_path("spec.paused");
  broken.set_after("tru");
  const PlanPreview read = ReadPreview(response);
  EXPECT_EQ(read.steps[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(read.steps[0].basis, Basis::kRule);
  EXPECT_EQ(read.steps[0].index, 0u);
  EXPECT_THAT(read.steps[0].changes, ElementsAre(PreviewChange{"spec.paused", "", "", true}));
}

}  // namespace
}  // namespace steward::olm

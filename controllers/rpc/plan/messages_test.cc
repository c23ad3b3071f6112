#include "controllers/rpc/plan/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "olm/plan/install_plan.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/plan_outlook.h"
#include "olm/preview/preview.h"

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

olm::PreviewStep Step(size_t index, const std::string& name) {
  olm::PreviewStep step;
  step.index = index;
  step.resolving = "reed.v1";
  step.gvk = {"apps", "v1", "Deployment"};
  step.ns = "ops";
  step.name = name;
  step.declared_optional = true;
  step.optional = true;
  step.outcome = olm::Outcome::kUpdate;
  step.basis = olm::Basis::kDryRun;
  step.reason = "Accepted";
  step.code = 200;
  step.message = "a message";
  step.changed_fields = {"spec.replicas"};
  step.changes = {{"spec.replicas", "1", "2", true}};
  step.warnings = {"old"};
  step.status = "Present";
  return step;
}

olm::PlanPreview Two() {
  olm::PlanPreview preview;
  preview.condition = {true, "Approved", ""};
  preview.steps = {Step(0, "a"), Step(1, "b")};
  return preview;
}

TEST(PlanMessagesTest, AStepHasAllThatIsKnown) {
  plan::v1::PreviewResponse out;
  ASSERT_OK(WriteLivePreview(Two(), {true, true}, out));
  EXPECT_TRUE(out.executable().status());
  EXPECT_EQ(out.executable().reason(), "Approved");
  EXPECT_EQ(out.hidden(), 0);
  ASSERT_EQ(out.steps_size(), 2);
  const plan::v1::Step& step = out.steps(1);
  EXPECT_EQ(step.index(), 2) << "they count from 1";
  EXPECT_EQ(step.resolving(), "reed.v1");
  EXPECT_EQ(StrCat(step.group(), "/", step.version(), " ", step.kind()), "apps/v1 Deployment");
  EXPECT_EQ(StrCat(step.namespace_(), "/", step.name()), "ops/b");
  EXPECT_TRUE(step.declared_optional());
  EXPECT_TRUE(step.optional());
  EXPECT_EQ(step.outcome(), "Update");
  EXPECT_EQ(step.basis(), "DryRun");
  EXPECT_EQ(step.reason(), "Accepted");
  EXPECT_EQ(step.code(), 200);
  EXPECT_EQ(step.message(), "a message");
  EXPECT_THAT(step.changed_fields(), ElementsAre("spec.replicas"));
  EXPECT_EQ(step.status(), "Present");
  ASSERT_EQ(step.changes_size(), 1);
  EXPECT_EQ(step.changes(0).path(), "spec.replicas");
  EXPECT_EQ(step.changes(0).before(), "1");
  EXPECT_EQ(step.changes(0).after(), "2");
  EXPECT_TRUE(step.changes(0).cut());
  EXPECT_THAT(step.warnings(), ElementsAre("old"));
}

TEST(PlanMessagesTest, HiddenStepsAreCounted) {
  plan::v1::PreviewResponse out;
  ASSERT_OK(WriteLivePreview(Two(), {false, true}, out));
  ASSERT_EQ(out.steps_size(), 1);
  EXPECT_EQ(out.steps(0).name(), "b");
  EXPECT_EQ(out.hidden(), 1);
}

TEST(PlanMessagesTest, AConditionTellsNothingOfHiddenSteps) {
  olm::PlanPreview preview = Two();
  preview.condition = {false, std::string(olm::kInvalidPlan), "the Secret \"s\" has no data"};
  plan::v1::PreviewResponse all;
  ASSERT_OK(WriteLivePreview(preview, {true, true}, all));
  EXPECT_EQ(all.executable().message(), preview.condition.message);
  plan::v1::PreviewResponse one;
  ASSERT_OK(WriteLivePreview(preview, {true, false}, one));
  EXPECT_EQ(one.executable().message(), "the plan cannot be executed as it is");
}

TEST(PlanMessagesTest, AnAnswerThatIsTooLargeLosesItsValuesFirst) {
  olm::PlanPreview preview = Two();
  preview.steps[0].changes[0].after = StrCat("\"", std::string(10'000, 'v'), "\"");
  plan::v1::PreviewResponse out;
  ASSERT_OK(WriteLivePreview(preview, {true, true}, out, 1'000));
  EXPECT_LE(out.ByteSizeLong(), 1'000u);
  for (const plan::v1::Step& step : out.steps()) {
    EXPECT_THAT(step.changes(), IsEmpty());
    EXPECT_EQ(step.message(), "a message");
    EXPECT_THAT(step.changed_fields(), ElementsAre("spec.replicas"));
    EXPECT_THAT(step.warnings(), ElementsAre("old"));
  }
  EXPECT_THAT(out.executable().message(), HasSubstr("values of changed fields are left out"));
}

TEST(PlanMessagesTest, AnAnswerThatIsTooLargeLosesItsMessages) {
  olm::PlanPreview preview = Two();
  preview.steps[0].message = std::string(10'000, 'm');
  plan::v1::PreviewResponse out;
  ASSERT_OK(WriteLivePreview(preview, {true, true}, out, 1'000));
  EXPECT_LE(out.ByteSizeLong(), 1'000u);
  EXPECT_THAT(out.steps(1).message(), IsEmpty());
  EXPECT_THAT(out.steps(1).changed_fields(), IsEmpty());
  EXPECT_THAT(out.steps(1).warnings(), IsEmpty());
  EXPECT_THAT(out.executable().message(), EndsWith("too large"));
  plan::v1::PreviewResponse none;
  EXPECT_EQ(kube::FromStatus(WriteLivePreview(preview, {true, true}, none, 100)).code, 400);
}

TEST(PlanMessagesTest, APlanIsPreviewedByRules) {
  const auto plan = olm::DecodePlan(
      R"({"metadata":{"name":"install-1","namespace":"ops","uid":"u",)"
      R"("creationTimestamp":"2026-01-01T00:00:00Z"},)"
      R"("spec":{"approved":true,"clusterServiceVersionNames":["reed.v1"]},)"
      R"("status":{"phase":"Installing","plan":[{"resolving":"reed.v1","status":"Unknown",)"
      R"("resource":{"group":"","version":"v1","kind":"ServiceAccount","name":"reed",)"
      R"("manifest":"{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",)"
      R"(\"metadata\":{\"name\":\"reed\"}}"}}]}})");
  ASSERT_OK(plan);
  const olm::ServedKinds served;
  plan::v1::PlanPreview out;
  WritePlanPreview(olm::PlanOutlook::Of(*plan, served), false, out);
  EXPECT_EQ(StrCat(out.namespace_(), "/", out.name()), "ops/install-1");
  EXPECT_EQ(out.install_plan_uid(), "u");
  EXPECT_EQ(out.creation_timestamp(), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(out.approved());
  EXPECT_EQ(out.phase(), "Installing");
  EXPECT_THAT(out.cluster_service_version_names(), ElementsAre("reed.v1"));
  EXPECT_TRUE(out.executable().status());
  ASSERT_EQ(out.steps_size(), 1);
  EXPECT_EQ(out.steps(0).outcome(), "Create");
  EXPECT_EQ(out.steps(0).basis(), "Rule");
  EXPECT_EQ(out.steps(0).reason(), olm::kCreatedOrUpdated);
}

// Returns a plan with the most possible steps, none of which can be done.
std::string LargePlan() {
  std::string json =
      R"({"metadata":{"name":"install-1","namespace":"ops","uid":"u"},"spec":{"approved":true},)"
      R"("status":{"phase":"Installing","plan":[)";
  for (size_t i = 0; i < olm::InstallPlan::kMaxSteps; ++i) {
    StrAppend(&json, i == 0 ? "" : ",",
              R"({"resolving":"reed.v1","status":"Unknown","resource":{"group":"","version":"v1",)",
              R"("kind":"Secret","name":"s)", i, std::string(i == 0 ? 250 : 0, 's'),
              R"(","manifest":"{\"kind\":\")", std::string(i == 0 ? 400 : 0, 'x'), R"(\"}"}})");
  }
  return StrCat(json, "]}}");
}

TEST(PlanMessagesTest, APlanOfManyStepsFitsIntoAMessage) {
  const auto plan = olm::DecodePlan(LargePlan());
  ASSERT_OK(plan);
  ASSERT_EQ((*plan)->steps.size(), olm::InstallPlan::kMaxSteps);
  const olm::PlanOutlook outlook = olm::PlanOutlook::Of(*plan, olm::ServedKinds());
  plan::v1::PlanPreview out;
  WritePlanPreview(outlook, false, out);
  EXPECT_LE(out.ByteSizeLong(), kMaxPreviewBytes);
  EXPECT_EQ(out.steps_size(), static_cast<int>(olm::InstallPlan::kMaxSteps));
  EXPECT_EQ(out.steps(1).outcome(), "Blocked");
  EXPECT_THAT(out.steps(1).message(), IsEmpty());
  EXPECT_THAT(out.executable().message(), EndsWith("too large"));
}

TEST(PlanMessagesTest, APlanIsNamedWhateverItsSize) {
  const auto plan = olm::DecodePlan(LargePlan());
  ASSERT_OK(plan);
  const olm::PlanOutlook outlook = olm::PlanOutlook::Of(*plan, olm::ServedKinds());
  plan::v1::PlanPreview out;
  WritePlanPreview(outlook, false, out, 10'000);
  EXPECT_LE(out.ByteSizeLong(), 10'000u);
  EXPECT_EQ(out.name(), "install-1");
  EXPECT_THAT(out.steps(), IsEmpty());
  EXPECT_EQ(out.executable().reason(), olm::kInvalidPlan);
  EXPECT_THAT(out.executable().message(), EndsWith("too large"));
}

}  // namespace
}  // namespace steward::rpc

#include "apiserver/upstream/preview_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::upstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const kube::NamespacedName kOperator = {"ops", "w.v1"};

// "ClusterServiceVersion ops/w.v1 Delete Rule DeletedByRequester 0".
std::vector<std::string> StepsOf(const Preview& preview) {
  std::vector<std::string> steps;
  for (size_t i = 0; i < preview.steps.size(); ++i) {
    const PreviewedStep& step = preview.steps[i];
    EXPECT_EQ(step.index, static_cast<int64_t>(i) + 1);
    steps.push_back(StrCat(step.gvk.kind, " ", step.name.ns, "/", step.name.name, " ", step.outcome,
                           " ", step.basis, " ", step.reason, " ", step.code));
  }
  return steps;
}

TEST(PreviewAnswersTest, APlansStepsAreAsTold) {
  plan::v1::PreviewResponse response;
  response.mutable_executable()->set_status(true);
  response.mutable_executable()->set_reason("Approved");
  response.mutable_executable()->set_message("go");
  plan::v1::Step& step = *response.add_steps();
  step.set_index(7);
  step.set_resolving("w.v1");
  step.set_group("apps");
  step.set_version("v1");
  step.set_kind("Deployment");
  step.set_namespace_("ops");
  step.set_name("w");
  step.set_declared_optional(true);
  step.set_optional(true);
  step.set_outcome("Update");
  step.set_basis("DryRun");
  step.set_reason("Differs");
  step.set_code(200);
  step.set_message("it differs");
  step.add_changed_fields("spec.replicas");
  step.set_status("Unknown");
  plan::v1::Change& change = *step.add_changes();
  change.set_path("spec.replicas");
  change.set_before("1");
  change.set_after("2");
  plan::v1::Change& broken = *step.add_changes();
  broken.set_path("spec.paused");
  broken.set_after("tru");
  step.add_warnings("spec.paused is old");
  response.set_hidden(3);
  const Preview preview = PreviewOf(response);
  EXPECT_TRUE(preview.executable);
  EXPECT_EQ(preview.reason, "Approved");
  EXPECT_EQ(preview.message, "go");
  EXPECT_EQ(preview.hidden, 3);
  EXPECT_EQ(preview.remaining, 0);
  const PreviewedStep expected = {7,
                                  "w.v1",
                                  {"apps", "v1", "Deployment"},
                                  kube::NamespacedName{"ops", "w"},
                                  true,
                                  true,
                                  "Update",
                                  "DryRun",
                                  "Differs",
                                  200,
                                  "it differs",
                                  {"spec.replicas"},
                                  "Unknown",
                                  {{"spec.replicas", "1", "2"}, {"spec.paused", "", "", true}},
                                  {"spec.paused is old"}};
  EXPECT_THAT(preview.steps, ElementsAre(expected));
}

TEST(PreviewAnswersTest, AnUninstallsStepsAreTheOperatorItsOperandsAndWhatIsUnreadable) {
  cleanup::v1::PreviewResponse response;
  response.set_verdict("Allowed");
  response.set_requester_may_delete(true);
  const auto add = [&](const std::string& name, const std::string& outcome,
                       const std::string& basis, const std::string& reason, int code) {
    cleanup::v1::OperandPreview& operand = *response.add_operands();
    operand.set_group("example.com");
    operand.set_version("v1");
    operand.set_kind("Widget");
    operand.set_namespace_("a");
    operand.set_name(name);
    operand.set_outcome(outcome);
    operand.set_basis(basis);
    operand.set_reason(reason);
    operand.set_code(code);
  };
  add("one", "Delete", "DryRun", "Accepted", 0);
  add("two", "Fail", "DryRun", "Forbidden", 403);
  for (const char* state : {"Served", "Gone", "Terminating"}) {
    cleanup::v1::DefinitionPreview& definition = *response.add_definitions();
    definition.set_name(StrCat(state, ".example.com"));
    definition.set_state(state);
  }
  cleanup::v1::DefinitionPreview& unreadable = *response.add_definitions();
  unreadable.set_name("gadgets.example.com");
  unreadable.set_unreadable("forbidden");
  response.set_hidden(2);
  response.set_remaining(5);
  const Preview preview = PreviewOf(kOperator, response);
  EXPECT_TRUE(preview.executable);
  EXPECT_EQ(preview.reason, "Allowed");
  EXPECT_EQ(preview.hidden, 2);
  EXPECT_EQ(preview.remaining, 5);
  EXPECT_THAT(
      StepsOf(preview),
      ElementsAre("ClusterServiceVersion ops/w.v1 Delete Rule DeletedByRequester 0",
                  "Widget a/one Delete DryRun Accepted 0", "Widget a/two Fail DryRun Forbidden 403",
                  "CustomResourceDefinition /Served.example.com Keep Rule DefinitionStays 0",
                  "CustomResourceDefinition /Terminating.example.com Delete Rule BeingDeleted 0",
                  "CustomResourceDefinition /gadgets.example.com Unknown Rule Unreadable 0"));
  EXPECT_EQ(preview.steps.back().message, "forbidden");
}

TEST(PreviewAnswersTest, WhetherAnUninstallIsExecutable) {
  const struct {
    std::string verdict;
    std::vector<std::string> blockers;
    bool may_delete;
    bool being_deleted;
    std::string want;  // executable, reason, message, outcome and reason of the operator's step
  } rows[] = {
      {"Allowed", {}, true, false, "true Allowed  Delete DeletedByRequester"},
      {"Allowed", {}, false, false, "false Forbidden  Fail Forbidden"},
      {"Allowed", {}, false, true, "true Allowed  Delete BeingDeleted"},
      {"Refused",
       {"SharedOwner", "InvalidSpec"},
       true,
       false,
       "false Refused about SharedOwner; about InvalidSpec Delete DeletedByRequester"},
      {"Refused",
       {"NotOptedIn"},
       true,
       false,
       "true OperandsKept about NotOptedIn Delete DeletedByRequester"},
      {"Refused", {"NotOptedIn"}, false, false, "false Forbidden about NotOptedIn Fail Forbidden"},
      {"Unknown", {}, true, false, "false Unknown  Delete DeletedByRequester"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.want);
    cleanup::v1::PreviewResponse response;
    response.set_verdict(row.verdict);
    for (const std::string& reason : row.blockers) {
      cleanup::v1::Blocker& blocker = *response.add_blockers();
      blocker.set_reason(reason);
      blocker.set_message("about " + reason);
    }
    response.set_requester_may_delete(row.may_delete);
    response.set_being_deleted(row.being_deleted);
    const Preview preview = PreviewOf(kOperator, response);
    EXPECT_EQ(StrCat(preview.executable ? "true " : "false ", preview.reason, " ", preview.message,
                     " ", preview.steps[0].outcome, " ", preview.steps[0].reason),
              row.want);
  }
}

copiedcsv::v1::Change ChangeOf(const std::string& ns, const std::string& action,
                               const std::string& outcome, const std::string& message = "",
                               int code = 0) {
  copiedcsv::v1::Change change;
  change.set_namespace_(ns);
  change.set_name("w.v1");
  change.set_operator_namespace("ops");
  change.set_action(action);
  change.set_reason("TurnedOff");
  change.set_outcome(outcome);
  if (!outcome.empty()) change.set_basis("DryRun");
  change.set_code(code);
  change.set_message(message);
  return change;
}

TEST(PreviewAnswersTest, CopiesInPages) {
  Preview preview;
  copiedcsv::v1::PreviewResponse page;
  page.mutable_summary()->set_deletes(4);
  page.mutable_summary()->set_namespaces(4);
  page.mutable_summary()->set_operators(1);
  page.mutable_summary()->set_stays(1);
  page.mutable_summary()->set_installed_operators("Served");
  *page.add_changes() = ChangeOf("a", "Delete", "Delete");
  page.mutable_changes(0)->set_requester_loses_sight(true);
  *page.add_changes() = ChangeOf("b", "Delete", "");
  page.set_hidden(1);
  page.set_remaining(3);
  AddChanges(page, preview);
  EXPECT_TRUE(preview.executable);
  EXPECT_EQ(preview.reason, "CopiesChange");
  EXPECT_EQ(preview.message,
            "4 copies to delete, in 4 namespaces, of 1 operator; 1 copy stays; "
            "InstalledOperators: Served");
  page.clear_changes();
  *page.add_changes() = ChangeOf("c", "Delete", "Fail", "Forbidden", 403);
  page.set_hidden(1);
  page.set_remaining(0);
  AddChanges(page, preview);
  EXPECT_FALSE(preview.executable);
  EXPECT_EQ(preview.reason, "StepsFail");
  EXPECT_EQ(preview.hidden, 2);
  EXPECT_EQ(preview.remaining, 0);
  EXPECT_THAT(StepsOf(preview),
              ElementsAre("ClusterServiceVersion a/w.v1 Delete DryRun TurnedOff 0",
                          "ClusterServiceVersion b/w.v1 Delete Rule TurnedOff 0",
                          "ClusterServiceVersion c/w.v1 Fail DryRun Forbidden 403"));
  EXPECT_EQ(preview.steps[0].message,
            "copy of ops/w.v1; the requester sees this operator by its copies alone");
  EXPECT_EQ(
      preview.steps[1].message,
      "copy of ops/w.v1; without it, whoever may not list ClusterServiceVersions in ops loses "
      "sight of the operator here");
}

TEST(PreviewAnswersTest, CopiesToMakeAreToldWithTheirOriginals) {
  Preview preview;
  copiedcsv::v1::PreviewResponse page;
  page.mutable_summary()->set_creates(1);
  page.mutable_summary()->set_namespaces(1);
  page.mutable_summary()->set_operators(1);
  *page.add_changes() = ChangeOf("a", "Create", "Create");
  *page.add_changes() = ChangeOf("b", "Keep", "Keep");
  page.mutable_changes(1)->clear_operator_namespace();
  AddChanges(page, preview);
  EXPECT_EQ(preview.message, "1 copy to create, in 1 namespace, of 1 operator");
  EXPECT_EQ(preview.steps[0].message, "copy of ops/w.v1");
  EXPECT_EQ(preview.steps[1].message, "copy of an operator that is gone");
}

TEST(PreviewAnswersTest, NoStepsSayWhy) {
  Preview nothing;
  AddChanges({}, nothing);
  EXPECT_TRUE(nothing.executable);
  EXPECT_EQ(nothing.reason, "NothingToChange");
  EXPECT_EQ(nothing.message, "there are no copies to create or to delete");
  copiedcsv::v1::PreviewResponse page;
  page.mutable_summary()->set_not_reconciled(true);
  Preview nobody;
  AddChanges(page, nobody);
  EXPECT_FALSE(nobody.executable);
  EXPECT_EQ(nobody.reason, "NobodyCopies");
  EXPECT_THAT(nobody.message, HasSubstr("the reconciler copied-csvs does not run here"));
}

}  // namespace
}  // namespace steward::upstream

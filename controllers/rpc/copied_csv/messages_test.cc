#include "controllers/rpc/copied_csv/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"
#include "olm/preview/preview.h"
#include "olm/resources.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace steward::rpc {
namespace {

using controllers::CopiesDifference;
using controllers::CopyChoice;
using olm::SlotFinding;

CopiesDifference Some() {
  CopiesDifference difference;
  difference.copies = 7;
  difference.operators = 2;
  difference.counts.right = 3;
  difference.counts.missing = 1;
  difference.counts.unexpected = 2;
  difference.counts.unexplained = 1;
  return difference;
}

TEST(CopiedCsvMessagesTest, AStateSaysWhatIsAndWhoWantsIt) {
  CopyChoice choice;
  choice.by = CopyChoice::By::kOlmConfig;
  choice.policy.global = olm::CopyPolicy::Global::kNotCopied;
  choice.policy.protected_namespaces = {"openshift"};
  copiedcsv::v1::State state;
  WriteState(Some(), choice, state);
  EXPECT_EQ(state.desired().copies(), "Off");
  EXPECT_EQ(state.desired().decided_by(), "OLMConfig");
  EXPECT_EQ(state.desired().olm_config(), "cluster");
  EXPECT_EQ(state.desired().protected_namespaces(), 1);
  EXPECT_EQ(state.copies(), 7);
  EXPECT_EQ(state.operators(), 2);
  EXPECT_EQ(state.right(), 3);
  EXPECT_EQ(state.missing(), 1);
  EXPECT_EQ(state.unexpected(), 2);
  EXPECT_EQ(state.unexplained(), 1);
  EXPECT_EQ(state.progress().left(), 3);
  EXPECT_FALSE(state.progress().done());
}

TEST(CopiedCsvMessagesTest, EachChooserHasAWord) {
  struct Row {
    CopyChoice::By by;
    const char* word;
    const char* olm_config;
  };
  for (const Row& row :
       {Row{CopyChoice::By::kNobody, "Nobody", ""}, Row{CopyChoice::By::kDefaults, "Defaults", ""},
        Row{CopyChoice::By::kOlmConfig, "OLMConfig", "cluster"},
        Row{CopyChoice::By::kNotUnderstood, "NotUnderstood", "cluster"}}) {
    SCOPED_TRACE(row.word);
    CopyChoice choice;
    choice.by = row.by;
    copiedcsv::v1::State state;
    WriteState(CopiesDifference(), choice, state);
    EXPECT_EQ(state.desired().decided_by(), row.word);
    EXPECT_EQ(state.desired().olm_config(), row.olm_config);
    EXPECT_TRUE(state.progress().done());
  }
}

TEST(CopiedCsvMessagesTest, TokensTellStatesApartButNotReplicas) {
  copiedcsv::v1::State state;
  WriteState(Some(), {}, state);
  const std::string token = ResumeToken(state);
  state.mutable_progress()->set_of(9);
  EXPECT_EQ(ResumeToken(state), token);
  state.set_missing(2);
  EXPECT_NE(ResumeToken(state), token);
}

TEST(CopiedCsvMessagesTest, ChangesAndTheirSums) {
  olm::Namespace red;
  red.name = "red";
  olm::Namespace tan;
  tan.name = "tan";
  const std::string etcd = "etcd.v1";
  const std::string kafka = "kafka.v1";
  const std::string ops = "ops";
  const std::string nobody;
  CopiesDifference difference;
  difference.changes = {{&red, &etcd, &ops, SlotFinding::kUnwanted},
                        {&red, &kafka, &nobody, SlotFinding::kOrphan},
                        {&tan, &etcd, &ops, SlotFinding::kMissing},
                        {&tan, &kafka, &ops, SlotFinding::kLeftByDeletion}};
  copiedcsv::v1::PreviewSummary summary;
  WriteSummary(difference, summary);
  EXPECT_EQ(summary.creates(), 1);
  EXPECT_EQ(summary.deletes(), 2);
  EXPECT_EQ(summary.stays(), 1);
  EXPECT_EQ(summary.operators(), 2);
  EXPECT_EQ(summary.namespaces(), 2);

  struct Row {
    SlotFinding finding;
    copiedcsv::v1::Choice choice;
    const char* action;
    const char* reason;
  };
  for (const Row& row :
       {Row{SlotFinding::kMissing, copiedcsv::v1::CHOICE_ON, "Create", "Missing"},
        Row{SlotFinding::kUnwanted, copiedcsv::v1::CHOICE_OFF, "Delete", "TurnedOff"},
        Row{SlotFinding::kUnwanted, copiedcsv::v1::CHOICE_ON, "Delete", "NotWanted"},
        Row{SlotFinding::kOrphan, copiedcsv::v1::CHOICE_OFF, "Delete", "OperatorGone"},
        Row{SlotFinding::kLeftByDeletion, copiedcsv::v1::CHOICE_OFF, "Keep", "BeingDeleted"},
        Row{SlotFinding::kLeftWithoutGroup, copiedcsv::v1::CHOICE_OFF, "Keep",
            "NoOperatorGroup"}}) {
    SCOPED_TRACE(row.reason);
    copiedcsv::v1::Change change;
    WriteChange({&red, &etcd, &ops, row.finding}, row.choice, change);
    EXPECT_EQ(change.namespace_(), "red");
    EXPECT_EQ(change.name(), "etcd.v1");
    EXPECT_EQ(change.operator_namespace(), "ops");
    EXPECT_EQ(change.action(), row.action);
    EXPECT_EQ(change.reason(), row.reason);
  }
}

// Tests steps for a slot in namespace red, whose original w.v1 is in ops.
class CopyStepTest : public ::testing::Test {
 protected:
  CopyStepTest() { red_.name = "red"; }
  olm::PreviewStep Step(SlotFinding finding, bool loses_sight = false, std::string source = "ops") {
    source_ = std::move(source);
    const controllers::CopyChange change = {&red_, &name_, &source_, finding};
    copiedcsv::v1::Change told;
    WriteChange(change, copiedcsv::v1::CHOICE_OFF, told);
    told.set_requester_loses_sight(loses_sight);
    olm::PlanPreview preview;
    AddStep(change, told, preview);
    return preview.steps.at(0);
  }

  olm::Namespace red_;
  const std::string name_ = "w.v1";
  std::string source_;
};

TEST_F(CopyStepTest, SaysWhatGoesAndWhoLosesSight) {
  const olm::PreviewStep step = Step(SlotFinding::kUnwanted, true);
  EXPECT_EQ(step.gvk, olm::kCsvKind);
  EXPECT_EQ(step.ns, "red");
  EXPECT_EQ(step.name, "w.v1");
  EXPECT_EQ(step.resolving, "w.v1");
  EXPECT_EQ(step.outcome, olm::Outcome::kDelete);
  EXPECT_EQ(step.reason, "TurnedOff");
  EXPECT_EQ(step.message, "copy of ops/w.v1; the requester sees this operator by its copies alone");
  EXPECT_EQ(
      Step(SlotFinding::kUnwanted).message,
      "copy of ops/w.v1; without it, whoever may not list ClusterServiceVersions in ops loses "
      "sight of the operator here");
}

TEST_F(CopyStepTest, CopiesToMakeAreToldWithTheirOriginals) {
  EXPECT_EQ(Step(SlotFinding::kMissing).outcome, olm::Outcome::kCreate);
  EXPECT_EQ(Step(SlotFinding::kMissing).message, "copy of ops/w.v1");
  EXPECT_EQ(Step(SlotFinding::kLeftByDeletion, false, "").outcome, olm::Outcome::kKeep);
  EXPECT_EQ(Step(SlotFinding::kLeftByDeletion, false, "").message,
            "copy of an operator that is gone");
}

TEST(CopiedCsvMessagesTest, AConditionSumsUp) {
  copiedcsv::v1::PreviewSummary all;
  EXPECT_EQ(
      ConditionOf(all, {}),
      (olm::PlanCondition{true, "NothingToChange", "there are no copies to create or to delete"}));
  all.set_creates(1);
  all.set_namespaces(1);
  all.set_operators(1);
  EXPECT_EQ(ConditionOf(all, {}),
            (olm::PlanCondition{true, "CopiesChange",
                                "1 copy to create, in 1 namespace, of 1 operator"}));
  all.set_creates(0);
  all.set_deletes(4);
  all.set_namespaces(4);
  all.set_stays(1);
  all.set_installed_operators("Served");
  olm::PreviewStep failing;
  failing.outcome = olm::Outcome::kFail;
  EXPECT_EQ(ConditionOf(all, {failing}),
            (olm::PlanCondition{false, "StepsFail",
                                "4 copies to delete, in 4 namespaces, of 1 operator; 1 copy stays; "
                                "InstalledOperators: Served"}));
  all.set_not_reconciled(true);
  EXPECT_EQ(ConditionOf(all, {}).reason, "NobodyCopies");
  EXPECT_FALSE(ConditionOf(all, {}).executable);
}

}  // namespace
}  // namespace steward::rpc

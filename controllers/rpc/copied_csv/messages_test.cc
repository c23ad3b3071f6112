#include "controllers/rpc/copied_csv/messages.h"

#include <gtest/gtest.h>

#include <string>

#include "controllers/copies/copies_difference.h"
#include "controllers/copies/copy_toggle.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"
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

}  // namespace
}  // namespace steward::rpc

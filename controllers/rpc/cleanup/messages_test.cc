#include "controllers/rpc/cleanup/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MessagesTest, OtherNamespacesAreCountedAndNotNamed) {
  olm::CleanupOutlook outlook;
  outlook.key = {"ops", "w.v1"};
  outlook.phase = olm::CleanupPhase::kDeleting;
  outlook.resources = {{"example.com", "Widget", "widgets"}};
  outlook.blockers = {{olm::CleanupReason::kSharedOwner,
                       "others own it",
                       {"ops/x.v1", "opsy/y.v1", "widgets.example.com", "zoo/z.v1"}}};
  outlook.pending = {{"example.com", "Widget", "", "wide"},
                     {"example.com", "Widget", "ops", "mine"},
                     {"example.com", "Widget", "other", "secret"}};
  outlook.pending_count = 7;
  outlook.targets = olm::TargetSet::Of({"b", "a"});
  cleanup::v1::CleanupStatus status;
  WriteStatus(outlook, status);
  EXPECT_EQ(status.phase(), "Deleting");
  ASSERT_EQ(status.blockers_size(), 1);
  EXPECT_EQ(status.blockers(0).reason(), "SharedOwner");
  EXPECT_THAT(status.blockers(0).objects(), ElementsAre("ops/x.v1", "widgets.example.com"));
  EXPECT_EQ(status.blockers(0).objects_elsewhere(), 2);
  ASSERT_EQ(status.pending_deletion_size(), 2);
  EXPECT_EQ(status.pending_deletion(1).name(), "mine");
  EXPECT_EQ(status.pending_deletion(1).resource(), "widgets.example.com");
  EXPECT_EQ(status.pending_elsewhere(), 1);
  EXPECT_EQ(status.pending_count(), 7);
  EXPECT_THAT(status.target_namespaces(), ElementsAre("a", "b"));
}

TEST(MessagesTest, TheWholeClusterIsAStar) {
  olm::CleanupOutlook outlook;
  outlook.targets = olm::TargetSet::All();
  cleanup::v1::CleanupStatus status;
  WriteStatus(outlook, status);
  EXPECT_THAT(status.target_namespaces(), ElementsAre("*"));
}

TEST(MessagesTest, APreview) {
  controllers::CleanupPreview preview;
  preview.verdict.kind = olm::CleanupVerdictKind::kRefused;
  preview.verdict.blockers = {
      {olm::CleanupReason::kRequiredByOther, "another needs it", {"else/y.v1"}}};
  preview.record = olm::CleanupRecord{olm::TargetSet::All(), "u", "g"};
  controllers::OperandCount count;
  count.plan.crd = "gadgets.example.com";
  count.plan.state = olm::CrdState::kTerminating;
  count.plan.cluster_scoped = true;
  count.plan.kept = "outside";
  count.kept = 3;
  preview.definitions = {count};
  cleanup::v1::PreviewResponse response;
  WritePreview("ops", preview, response);
  EXPECT_EQ(response.verdict(), "Refused");
  EXPECT_THAT(response.blockers(0).objects(), IsEmpty());
  EXPECT_EQ(response.blockers(0).objects_elsewhere(), 1);
  EXPECT_TRUE(response.recorded());
  EXPECT_TRUE(response.recorded_targets().all());
  EXPECT_FALSE(response.effective_targets().all());
  EXPECT_EQ(response.definitions(0).state(), "Terminating");
  EXPECT_EQ(response.definitions(0).kept(), 3);
  EXPECT_EQ(response.definitions(0).kept_why(), "outside");
}

}  // namespace
}  // namespace steward::rpc

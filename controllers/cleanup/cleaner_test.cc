#include "controllers/cleanup/cleaner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/status.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using kube::ClientVerb;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// --- The ways of the seed's test plan.

TEST_F(CleanerTest, R_000_52_DeletesTheOperands) {
  Start();
  Add({"a/x", "b/y", "c/z", "ops/o"});
  cluster_->Run(cluster_->AddGadget("g", false));
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), UnorderedElementsAre("c/z", "ops/o"));
  EXPECT_THAT(cluster_->Names(kGadgets), ElementsAre("g")) << "R-000-68";
  EXPECT_THAT(events_.events, Contains(HasSubstr("Normal CleanupCompleted")));
  EXPECT_EQ(cleaner_->remembered(), 0u);
}

TEST_F(CleanerTest, R_000_55_AllNamespaces) {
  ClusterShape shape;
  shape.targets = {};
  Start(shape);
  Add({"a/x", "b/y", "c/z"});
  cluster_->Run(cluster_->AddGadget("g", false));
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  EXPECT_THAT(cluster_->Names(kGadgets), IsEmpty());
}

TEST_F(CleanerTest, R_000_56_SingleNamespace) {
  ClusterShape shape;
  shape.targets = {"b"};
  Start(shape);
  Add({"a/x", "b/y", "c/z"});
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), UnorderedElementsAre("a/x", "c/z"));
}

TEST_F(CleanerTest, R_000_57_SelectedNamespaces) {
  ClusterShape shape;
  shape.targets = {"team=x"};
  Start(shape);
  Add({"a/x", "b/y", "c/z"});
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("c/z"));
}

TEST_F(CleanerTest, R_000_51_WithoutSupportNothingIsDeleted) {
  for (const char* cleanup : {"null", R"({"enabled":false})"}) {
    SCOPED_TRACE(cleanup);
    Start();
    Merge(kCsvs, kCsv, StrCat(R"({"spec":{"cleanup":)", cleanup, "}}"));
    Add({"a/x"});
    EXPECT_OK(Pass().status());
    EXPECT_FALSE(Released()) << "R-000-40/41: not before it is deleted";
    cluster_->DeleteCsv();
    EXPECT_OK(Pass().status());
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), 0);
    EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/x"));
  }
}

TEST_F(CleanerTest, WithoutTheFinalizerNothingIsDone) {
  ClusterShape shape;
  shape.opted_in = false;
  Start(shape);
  Add({"a/x"});
  cluster_->DeleteCsv();
  Passes();
  EXPECT_EQ(Deletes() + Patches(), 0);
}

TEST_F(CleanerTest, R_000_54_AnUpgradeDeletesNothing) {
  for (const char* phase : {"Replacing", "Deleting", "Failed", ""}) {
    Start();
    Add({"a/x"}, true);
    Merge(kCsvs, kCsv, StrCat(R"({"status":{"phase":")", phase, R"("}})"), "status");
    cluster_->DeleteCsv();
    Passes();
    EXPECT_TRUE(Released()) << phase;
    EXPECT_EQ(Deletes(), 0);
    EXPECT_THAT(events_.events, Contains(HasSubstr("Warning CleanupRefused")));
    EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/x"));
  }
}

TEST_F(CleanerTest, R_001_33_TheLegacyFinalizerIsReleasedAndNeverActedOn) {
  ClusterShape shape;
  shape.opted_in = false;
  Start(shape);
  Add({"a/x"});
  Merge(kCsvs, kCsv,
        R"({"metadata":{"finalizers":["operatorframework.io/cleanup-apis","k.io/x"]}})");
  EXPECT_OK(Pass().status());
  EXPECT_TRUE(cluster_->HasFinalizer("operatorframework.io/cleanup-apis"));
  cluster_->DeleteCsv();
  Passes();
  EXPECT_FALSE(cluster_->HasFinalizer("operatorframework.io/cleanup-apis"));
  EXPECT_TRUE(cluster_->HasFinalizer("k.io/x"));
  EXPECT_EQ(Deletes(), 0);
}

// A record that does not fit cannot be written: the server would answer 422 for ever.
class RecordRoomTest : public CleanerTest, public ::testing::WithParamInterface<bool> {};
TEST_P(RecordRoomTest, R_000_62_ARecordThatDoesNotFitIsRefused) {
  const bool many_namespaces = GetParam();
  Start();
  Add({"a/x"});
  EXPECT_OK(Pass().status());
  if (many_namespaces) {
    std::vector<std::string> names = {"a"};
    for (int i = 0; i < 4'000; ++i) names.push_back(StrCat(100'000 + i, std::string(57, 'n')));
    const json::array targets(names.begin(), names.end());
    cluster_->Run(cluster_->SetGroup(json::serialize(json::object{{"targetNamespaces", targets}}),
                                     std::move(names)));
  } else {
    // The annotations have no byte left.
    const std::string examples(olm::kMaxAnnotationBytes - std::string("alm-examples").size(), 'x');
    Merge(kCsvs, kCsv,
          StrCat(R"({"metadata":{"annotations":{"alm-examples":")", examples, R"("}}})"));
  }
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->OlmCleansUp());
  for (int i = 0; i < 5 && !Released(); ++i) {
    EXPECT_OK(Pass().status());
    cluster_->clock().Advance(absl::Seconds(1));
  }
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/x"));
  EXPECT_THAT(events_.events, Contains(AllOf(HasSubstr("Warning CleanupRefused"),
                                             HasSubstr("RecordTooLarge: the record of its"))));
  EXPECT_THAT(events_.events, Not(Contains(HasSubstr("CleanupStarted"))));
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_TRUE(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"})).is_null());
}
INSTANTIATE_TEST_SUITE_P(All, RecordRoomTest, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "ManyNamespaces" : "OtherAnnotations");
});

// --- Progress and its report.

TEST_F(CleanerTest, R_000_53_PendingOperandsAreShown) {
  Start();
  Add({"a/x", "b/y"}, true);
  Add({"c/z"}, true);
  cluster_->DeleteCsv();
  Passes(8);
  EXPECT_FALSE(Released());
  EXPECT_EQ(cluster_->Condition("WaitingOnCleanup"),
            "WaitingOnCleanup: waiting for operator to finish cleanup for 2 CRs");
  const json::value csv = cluster_->Csv();
  EXPECT_EQ(Serialize(csv.at("status").at("cleanup")),
            R"({"pendingDeletion":[{"group":"example.com","kind":"Widget","instances":)"
            R"([{"name":"x","namespace":"a"},{"name":"y","namespace":"b"}]}]})");
  EXPECT_EQ(csv.at("status").at("phase"), "Succeeded") << "R-000-65";
  EXPECT_EQ(csv.at("status").at("reason"), "InstallSucceeded");
  EXPECT_THAT(cluster_->Condition("InstallSucceeded"), Not(IsEmpty()));
  EXPECT_THAT(MetricsText(),
              HasSubstr(R"(steward_cleanup_pending_operands{name="widget.v1",namespace="ops"} 2)"));
  EXPECT_EQ(cluster_->Run(cluster_->OperatorFinishes(5)), 2);
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("c/z"));
  EXPECT_THAT(MetricsText(), Not(HasSubstr("steward_cleanup_pending_operands{")));
}

TEST_F(CleanerTest, TheRecordComesFirst) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(Record(), HasSubstr(R"({"targets":["a","b"],"csvUID":")"));
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 1);
}

TEST_F(CleanerTest, StatusIsWrittenAtOnceAndThenSeldom) {
  Start();
  for (int i = 0; i < 30; ++i) Add({StrCat("a/x", i)}, true);
  cluster_->DeleteCsv();
  for (int i = 0; i < 3; ++i) EXPECT_OK(Pass().status());
  EXPECT_EQ(Patches(), 2) << "record and status";
  for (int i = 0; i < 9; ++i) {
    cluster_->Run(cluster_->OperatorFinishes(1));
    cluster_->clock().Advance(absl::Seconds(1));
    EXPECT_OK(Pass().status());
  }
  EXPECT_EQ(Patches(), 2);
  cluster_->clock().Advance(absl::Seconds(1));
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Patches(), 3);
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"), HasSubstr("for 21 CRs"));
}

TEST_F(CleanerTest, ManyAreDeletedInBatches) {
  CleanerOptions options;
  options.deleter.batch = 10;
  Start({}, options);
  for (int i = 0; i < 25; ++i) Add({StrCat("a/x", i)});
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  const int lists = faults_->calls({ClientVerb::kList, kCsvs});
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 25);
  EXPECT_EQ(faults_->calls({ClientVerb::kList, kCsvs}) - lists, 3) << "guards for each batch";
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_34_StallsForEverButVisibly) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(cluster_->Condition("CleanupStalled"), "");
  cluster_->clock().Advance(absl::Minutes(10));
  Passes(3);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupStalled"),
              HasSubstr("NoProgress: waiting longest for widgets.example.com a/x (finalizers "
                        "example.com/work)"));
  EXPECT_THAT(events_.events, Contains(HasSubstr("Warning CleanupStalled: NoProgress")));
  EXPECT_THAT(MetricsText(),
              HasSubstr(R"(steward_cleanup_stalled{name="widget.v1",namespace="ops",)"
                        R"(reason="NoProgress"} 1)"));
  EXPECT_THAT(MetricsText(), HasSubstr(R"(finalizers="example.com/work")"));
  cluster_->clock().Advance(absl::Hours(100));
  Passes(3);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(1));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(MetricsText(), Not(HasSubstr("steward_cleanup_stalled{")));
}

TEST_F(CleanerTest, R_000_42_AbortAtAnyMoment) {
  for (int passes = 0; passes < 4; ++passes) {
    Start();
    Add({"a/x", "b/y"}, true);
    cluster_->DeleteCsv();
    for (int i = 0; i < passes; ++i) EXPECT_OK(Pass().status());
    Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
    const int deletes = Deletes();
    EXPECT_OK(Pass().status());
    EXPECT_TRUE(Released()) << passes;
    EXPECT_EQ(Deletes(), deletes);
  }
}

TEST_F(CleanerTest, RefusalAfterDeletesDrains) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  Add({"a/new"}, true);
  cluster_->SetDeployment("widget-operator", false);
  const int deletes = Deletes();
  Passes(4);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), deletes) << "nothing more is sent";
  cluster_->clock().Advance(absl::Seconds(10));
  Passes(1);
  EXPECT_THAT(cluster_->Condition("CleanupRefused"), HasSubstr("OperatorGone"));
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/new"));
}

// --- Targets.

TEST_F(CleanerTest, R_000_62_TargetsOnlyShrink) {
  Start();
  Add({"a/x", "b/y", "c/z"}, true);
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["b","c"]})", {"b", "c"}));
  Passes(4);
  EXPECT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), UnorderedElementsAre("a/x", "c/z"));
}

TEST_F(CleanerTest, WhatWasBegunIsWaitedForAfterTheTargetsShrank) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  EXPECT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["b"]})", {"b"}));
  Passes(4);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_62_AnotherGroupOfTheSameName) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->Remove(kOperatorGroups, kGroup));
  cluster_->Run(cluster_->CreateGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
}

// OLM may take its time to write down which namespaces the OperatorGroup selects now.
TEST_F(CleanerTest, R_000_62_WhoIsNotSelectedAnyMoreIsNoTarget) {
  ClusterShape shape;
  shape.targets = {"team=x"};
  Start(shape);
  Add({"a/x", "b/y"});
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  Merge(kNamespaces, {"", "b"}, R"({"metadata":{"labels":{"team":"y"}}})");
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("b/y"));
}

// A user who can edit the record cannot widen it: not even for a process that did not write it.
TEST_F(CleanerTest, R_000_62_TheRecordThatWasFoundIsRemembered) {
  ClusterShape shape;
  shape.targets = {"a"};
  Start(shape);
  Add({"a/x", "b/y"}, true);
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  Restart();
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 1);
  absl::StatusOr<olm::CleanupRecord> record = olm::DecodeRecord(Record());
  ASSERT_OK(record.status());
  record->targets = olm::TargetSet::Of({"a", "b"});
  const json::value patch = json::object{
      {"metadata", {{"annotations", {{olm::kRecordAnnotation, olm::EncodeRecord(*record)}}}}}};
  Merge(kCsvs, kCsv, json::serialize(patch));
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  Passes(4);
  EXPECT_EQ(Deletes(), 1);
}

// The recorded definitions must be empty, whatever the object claims to own later.
TEST_F(CleanerTest, R_000_62_OwningLessEndsNothingEarly) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  Merge(kCsvs, kCsv, R"({"spec":{"customresourcedefinitions":{"owned":[]}}})");
  for (const bool restarts : {false, true}) {
    if (restarts) Restart();
    Passes(4);
    EXPECT_FALSE(Released());
  }
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_62_OwningMoreDeletesNoMore) {
  ClusterShape shape;
  shape.targets = {};
  shape.owned = {"widgets.example.com"};
  Start(shape);
  Add({"a/x"});
  cluster_->Run(cluster_->AddGadget("g", false));
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  Merge(kCsvs, kCsv,
        R"({"spec":{"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"},)"
        R"({"name":"gadgets.example.com"}]}}})");
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kGadgets), ElementsAre("g"));
  EXPECT_THAT(events_.events,
              Contains(HasSubstr("CleanupCompleted: 1 custom resource was deleted; kept: "
                                 "gadgets.example.com (NotRecorded)")));
}

// A user who removes the record cannot cause another one to be written: deletions may be pending.
TEST_F(CleanerTest, R_000_62_ARecordThatIsGoneIsNotMadeAnew) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  Restart();
  Merge(kCsvs, kCsv,
        StrCat(R"({"metadata":{"annotations":{")", olm::kRecordAnnotation, R"(":null}}})"));
  Add({"b/y"});
  Passes(4);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Record(), "");
  EXPECT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
}

// This also holds when nothing is pending: until the end the status shows what was begun.
TEST_F(CleanerTest, R_000_62_NorWhenNothingIsPending) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->OperatorFinishes(5));
  Merge(kCsvs, kCsv,
        StrCat(R"({"metadata":{"annotations":{")", olm::kOptOutAnnotation, R"(":"true"}}})"));
  cluster_->clock().Advance(absl::Seconds(20));
  EXPECT_OK(Pass().status());
  ASSERT_EQ(cluster_->Annotation(olm::kRightsReleasedAnnotation), "");
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"), HasSubstr("for 0 CRs"));
  Restart();
  Merge(kCsvs, kCsv,
        StrCat(R"({"metadata":{"annotations":{")", olm::kOptOutAnnotation, R"(":null,")",
               olm::kRecordAnnotation, R"(":null}}})"));
  cluster_->Run(cluster_->SetGroup("{}", {""}));
  Add({"b/y"});
  EXPECT_OK(Pass().status());
  EXPECT_EQ(cluster_->Annotation(olm::kRefusalAnnotation), "RecordRemoved");
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("b/y"));
}

// A process that finds the record removed marks the object, so that the next process sees it
// whatever became of the status.
TEST_F(CleanerTest, R_000_62_ARecordThatIsGoneIsMarked) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  Merge(kCsvs, kCsv,
        StrCat(R"({"metadata":{"annotations":{")", olm::kRecordAnnotation, R"(":null}}})"));
  EXPECT_OK(Pass().status());
  EXPECT_EQ(cluster_->Annotation(olm::kRefusalAnnotation), "RecordRemoved");
  Restart();
  Merge(kCsvs, kCsv, R"({"status":{"conditions":null}})", "status");
  Add({"b/y"});
  Passes(4);
  EXPECT_EQ(Record(), "");
  EXPECT_EQ(Deletes(), 1);
}

// A process that finds no record has no other source.
TEST_F(CleanerTest, R_000_62_TheStatusSpeaksBeforeTheFirstDelete) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  ASSERT_NE(Record(), "");
  faults_->FailNext({kube::ClientVerb::kPatch, kCsvs}, kube::ToStatus(kube::InternalError("no")));
  EXPECT_FALSE(Pass().ok());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 1);
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"), HasSubstr("for 1 CR"));
}

// A namespace that is still missing in the status would be left out for good.
TEST_F(CleanerTest, R_000_88_AStatusThatLagsIsWaitedFor) {
  Start();
  Add({"a/x", "b/y"});
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["a","b"]})", {"a"}));
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("OperatorGroupNotSynced"));
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 2);
  EXPECT_THAT(events_.events,
              Contains("Normal CleanupCompleted: 2 custom resources were deleted; kept: "
                       "gadgets.example.com (ClusterScoped)"));
}

// A claim is no proof (R-000-79).
TEST_F(CleanerTest, R_000_79_WhatOlmDidNotInstallIsKept) {
  for (const bool wanted : {false, true}) {
    CleanerOptions options;
    options.guards.unmanaged_definitions = wanted;
    Start({}, options);
    Add({"a/x"});
    Merge(kCrds, {"", "widgets.example.com"}, R"({"metadata":{"labels":null}})");
    cluster_->DeleteCsv();
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), wanted ? 1 : 0);
  }
  EXPECT_THAT(events_.events, Contains(HasSubstr("widgets.example.com (NotInstalledByOLM)")));
}

TEST_F(CleanerTest, R_000_62_NotSyncedIsUnknown) {
  Start();
  Add({"a/x"});
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["a"]})", {}));
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("OperatorGroupNotSynced"));
  cluster_->Run(cluster_->SetGroup(R"({"targetNamespaces":["a"]})", {"a"}));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
}

// --- Other operators.

TEST_F(CleanerTest, R_000_60_TwoOwnersDeletedTogetherBothRelease) {
  for (const bool first : {true, false}) {
    Start();
    Add({"a/x"});
    const kube::NamespacedName second{"ops", "second.v1"};
    AddOptedIn(second.name, R"({"name":"widgets.example.com"})", "Succeeded");
    cluster_->DeleteCsv();
    cluster_->Run(cluster_->Remove(kCsvs, second));
    const kube::NamespacedName one = first ? kCsv : second;
    const kube::NamespacedName two = first ? second : kCsv;
    PassesOver(one);
    cluster_->Run(cluster_->OlmCleansUp());
    // The first one is gone from the cluster before the other is looked at.
    Restart();
    PassesOver(two);
    cluster_->Run(cluster_->OlmCleansUp());
    EXPECT_THAT(cluster_->Names(kCsvs), IsEmpty());
    EXPECT_EQ(Deletes(), 0);
  }
}

// The other owner has no finalizer of cleanup, so nothing keeps it until it was seen once more.
TEST_F(CleanerTest, R_000_60_AnOwnerThatIsGoneAtTheSecondLookWasThere) {
  Start();
  Add({"a/x"});
  const kube::NamespacedName other{"c", "second.v1"};
  cluster_->Run(cluster_->AddOtherCsv(
      other.ns, other.name,
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->Remove(kCsvs, other));
  cluster_->clock().Advance(absl::Seconds(2));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
}

// The garbage collector removes the finalizer, as it has no other work for it.
TEST_F(CleanerTest, AWishToOrphanIsNotForgotten) {
  Start();
  Add({"a/x"});
  Merge(kCsvs, kCsv, StrCat(R"({"metadata":{"finalizers":[")", kFinalizer, R"(","orphan"]}})"));
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  Merge(kCsvs, kCsv, StrCat(R"({"metadata":{"finalizers":[")", kFinalizer, R"("]}})"));
  cluster_->clock().Advance(absl::Seconds(2));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
}

// In chains of owners, an operator that is refused for its own reasons passes the refusal on, in
// every order.
TEST_F(CleanerTest, R_000_60_ChainsOfOwnersAllRelease) {
  const std::vector<std::vector<int>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const char* phase : {"Succeeded", "Failed"}) {  // of the operator in the middle
    for (const std::vector<int>& order : orders) {
      ClusterShape shape;
      shape.targets = {};
      shape.owned = {"widgets.example.com"};
      Start(shape);
      Add({"a/x"});
      cluster_->Run(cluster_->AddGadget("g", false));
      const std::vector<kube::NamespacedName> chain = {kCsv, {"ops", "b.v1"}, {"ops", "c.v1"}};
      AddOptedIn("b.v1", R"({"name":"widgets.example.com"},{"name":"gadgets.example.com"})", phase);
      AddOptedIn("c.v1", R"({"name":"gadgets.example.com"})", "Succeeded");
      for (const kube::NamespacedName& csv : chain) cluster_->Run(cluster_->Remove(kCsvs, csv));
      for (const int i : order) {
        PassesOver(chain[i]);
        cluster_->Run(cluster_->OlmCleansUp());
        Restart();
      }
      EXPECT_THAT(cluster_->Names(kCsvs), IsEmpty()) << phase;
      EXPECT_EQ(Deletes() + Deletes(kGadgets), 0) << phase;
    }
  }
}

TEST_F(CleanerTest, R_000_60_WhatIsKnownFromBeforeCounts) {
  known_ = [](const std::set<kube::NamespacedName>& without) {
    EXPECT_TRUE(without.contains(kCsv));
    olm::CsvFacts gone;
    gone.key = {"far", "gone.v1"};
    gone.owned_crds = {"widgets.example.com"};
    return std::vector<olm::CsvFacts>{gone};
  };
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
}

}  // namespace
}  // namespace steward::controllers

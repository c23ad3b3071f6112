// Tests of a cleaner in a cluster that misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/recently_deleted_csvs.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

using kube::Calls;
using kube::ClientVerb;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- Definitions.

TEST_F(CleanerTest, R_000_70_ADefinitionThatGoes) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->Remove(kCrds, {"", "widgets.example.com"}));
  Passes(5);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), 0) << "its objects go with it";
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"),
              HasSubstr("for 1 CR; definitions being deleted: 1"));
  cluster_->Run(cluster_->FinishCrd("widgets.example.com"));
  Passes();
  EXPECT_TRUE(Released());
}

// No policy is asked about objects that are deleted with their definition.
TEST_F(CleanerTest, R_000_77_TheDefinitionOfCsvsGoes) {
  Start();
  Add({"a/x"});
  EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->TerminateCsvs());
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_EQ(Record(), "");
  EXPECT_THAT(events_.events, Contains(HasSubstr("CSVDefinitionTerminating")));
}

// Deletions that were begun before are finished, and no others are begun.
TEST_F(CleanerTest, R_000_77_TheDefinitionOfCsvsGoesMeanwhile) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  ASSERT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->TerminateCsvs());
  Add({"b/y"});
  cluster_->clock().Advance(absl::Seconds(30));
  Passes(5);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(5));
  cluster_->clock().Advance(absl::Seconds(30));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("b/y"));
}

TEST_F(CleanerTest, R_000_70_ADefinitionThatIsNotEstablished) {
  Start();
  Merge(kCrds, {"", "widgets.example.com"},
        R"({"status":{"conditions":[{"type":"Established","status":"False"}]}})", "status");
  // A server does not serve it yet, and nothing is stored.
  faults_->FailNext({ClientVerb::kList, kWidgets}, kube::ToStatus(kube::NotFoundPath()), 1000);
  const kube::GroupVersionResource beta = {"example.com", "v1beta1", "widgets"};
  faults_->FailNext({ClientVerb::kList, beta}, kube::ToStatus(kube::NotFoundPath()), 1000);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(faults_->calls({ClientVerb::kList, kWidgets}), 0);
}

// Nothing was sent, so nothing is waited for, even if it cannot be listed (R-000-86).
TEST_F(CleanerTest, R_000_86_ARefusalWhereNothingWasSentListsNothing) {
  Start();
  Add({"a/x"}, true);
  cluster_->Run(cluster_->Remove(kWidgets, {"a", "x"}));
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Replacing"}})", "status");
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->Remove(kCrds, {"", "widgets.example.com"}));
  faults_->FailNext({ClientVerb::kList, kWidgets},
                    kube::ToStatus(kube::Forbidden(kWidgets, "", "RBAC")), 1000);
  Passes(4);
  EXPECT_TRUE(Released());
  EXPECT_EQ(faults_->calls({ClientVerb::kList, kWidgets}), 0);
}

// No operator is left that could finish what was begun: the namespace must not hang for ever.
TEST_F(CleanerTest, R_000_86_NobodyCanFinish) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  ASSERT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->Remove(kNamespaces, {"", "ops"}));
  Passes(5);
  EXPECT_FALSE(Released()) << "the operator still runs, and may finish";
  cluster_->SetDeployment("widget-operator", false);
  cluster_->clock().Advance(absl::Seconds(30));
  Passes(5);
  EXPECT_TRUE(Released());
  EXPECT_THAT(events_.events, Contains(AllOf(HasSubstr("Warning CleanupRefused"),
                                             HasSubstr("1 custom resource is left: Widget a/x"))));
  EXPECT_THAT(MetricsText(), HasSubstr(R"(steward_cleanup_finished_total{result="abandoned"} 1)"));
}

// Somebody finalizes the namespace by hand, and makes everything anew: nobody who may uninstall has
// asked for the deletions that came with the old namespace.
TEST_F(CleanerTest, R_000_75_TheNamespaceWasMadeAnew) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"});
  cluster_->DeleteCsv();
  cluster_->clock().Advance(absl::Seconds(2));
  cluster_->Run(cluster_->RemakeNamespace("ops"));
  cluster_->Run(cluster_->Remove(kOperatorGroups, kGroup));
  cluster_->Run(cluster_->CreateGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  ASSERT_FALSE(Released());
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_EQ(Record(), "");
  EXPECT_THAT(events_.events, Contains(HasSubstr("before namespace ops was made anew")));
}

// Another group than the one that was in force says where the operator works.
TEST_F(CleanerTest, R_000_75_TheOperatorGroupWasMadeAnew) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"});
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->Remove(kOperatorGroups, kGroup));
  cluster_->clock().Advance(absl::Seconds(2));
  cluster_->Run(cluster_->CreateGroup(R"({"targetNamespaces":["a","b"]})", {"a", "b"}));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(events_.events, Contains(HasSubstr("OperatorGroupChanged")));
}

// OLM writes an empty list then, which is no list.
TEST_F(CleanerTest, R_000_62_TheLastSelectedNamespaceGoes) {
  ClusterShape shape;
  shape.targets = {"team=x"};
  Start(shape);
  Add({"a/x", "b/y"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  ASSERT_EQ(Deletes(), 2);
  for (const char* ns : {"a", "b"}) {
    Merge(kNamespaces, {"", ns}, R"({"metadata":{"labels":null}})");
  }
  cluster_->Run(cluster_->SetGroup(R"({"selector":{"matchLabels":{"team":"x"}}})", {}));
  Add({"a/new"});
  cluster_->clock().Advance(absl::Seconds(30));
  Passes(5);
  EXPECT_FALSE(Released()) << "what was begun is finished";
  cluster_->Run(cluster_->OperatorFinishes(5));
  cluster_->clock().Advance(absl::Seconds(30));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 2);
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/new"));
}

// Something between here and the API server has a DELETE, and passes it on when it likes: somebody
// has to be there to finish what it deletes.
struct LateCase {
  const char* name;
  bool restarts;
  bool arrives;
};
class LateTest : public CleanerTest, public ::testing::WithParamInterface<LateCase> {};
TEST_P(LateTest, R_000_78_TheRightsAreThereForWhatArrivesLate) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kDelete, kWidgets}, absl::DeadlineExceededError("no answer"));
  while (Deletes() == 0) EXPECT_OK(Pass().status());
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Failed"}})", "status");
  if (GetParam().restarts) Restart();
  const absl::Duration until = cluster_->clock().Monotonic() + absl::Seconds(58);
  while (cluster_->clock().Monotonic() < until) {
    EXPECT_OK(Pass().status());
    cluster_->clock().Advance(absl::Seconds(1));
  }
  EXPECT_EQ(cluster_->Annotation(olm::kRightsReleasedAnnotation), "");
  EXPECT_FALSE(Released());
  if (GetParam().arrives) {
    cluster_->Run(cluster_->Remove(kWidgets, {"a", "x"}));
    for (int i = 0; i < 60; ++i) {
      EXPECT_OK(Pass().status());
      cluster_->clock().Advance(absl::Seconds(5));
    }
    EXPECT_EQ(cluster_->Annotation(olm::kRightsReleasedAnnotation), "");
    cluster_->Run(cluster_->OperatorFinishes(1));
    cluster_->clock().Advance(absl::Seconds(30));
  }
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
}
INSTANTIATE_TEST_SUITE_P(All, LateTest,
                         ::testing::Values(LateCase{"Arrives", false, true},
                                           LateCase{"NeverArrives", false, false},
                                           LateCase{"OfAProcessBefore", true, true}),
                         [](const auto& info) { return std::string(info.param.name); });

// An empty list of all that was recorded leaves nothing to be deleted late: nobody waits for that.
TEST_F(CleanerTest, R_000_78_WhatIsGoneIsNotWaitedFor) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kDelete, kWidgets}, absl::DeadlineExceededError("no answer"));
  while (Deletes() == 0) EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->Remove(kWidgets, {"a", "x"}));
  const absl::Duration began = cluster_->clock().Monotonic();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_LT(cluster_->clock().Monotonic() - began, absl::Seconds(10));
}

// A deletion that the API server refused is not waited for.
TEST_F(CleanerTest, R_000_78_WhatWasAnsweredIsNotWaitedFor) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kDelete, kWidgets}, kube::ToStatus(kube::TooManyRequests("", 1)));
  while (Deletes() == 0) EXPECT_OK(Pass().status());
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Failed"}})", "status");
  const absl::Duration began = cluster_->clock().Monotonic();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_LT(cluster_->clock().Monotonic() - began, absl::Seconds(10));
}

// Right after an upgrade OLM still has copies of the previous version to delete.
TEST_F(CleanerTest, CopiesOfWhatWasReplacedAreGivenTime) {
  for (const bool they_go : {true, false}) {
    Start();
    Add({"a/x"});
    cluster_->Run(cluster_->AddOtherCsv(
        "a", "widget.v0",
        R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
    Merge(kCsvs, {"a", "widget.v0"}, R"({"metadata":{"labels":{"olm.copiedFrom":"ops"}}})");
    cluster_->DeleteCsv();
    const absl::Duration until = cluster_->clock().Monotonic() + absl::Seconds(118);
    while (cluster_->clock().Monotonic() < until) {
      EXPECT_OK(Pass().status());
      cluster_->clock().Advance(absl::Seconds(1));
    }
    EXPECT_FALSE(Released());
    EXPECT_EQ(Deletes(), 0);
    EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("CopiesLeft"));
    if (they_go) cluster_->Run(cluster_->Remove(kCsvs, {"a", "widget.v0"}));
    cluster_->clock().Advance(absl::Seconds(10));
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), they_go ? 1 : 0);
  }
}

// `kubectl delete csv other.v1 widget.v1`: nobody opted in to the first one, whose custom resources
// are to stay, and nothing holds it up.
TEST_F(CleanerTest, R_000_60_AnOwnerThatWentAMomentAgo) {
  struct Case {
    const char* name;
    const char* csv;
    absl::Duration later;
    int deletes;
  };
  for (const Case& test : {Case{"Now", "other.v1", absl::ZeroDuration(), 0},
                           Case{"LongAgo", "other.v1", RecentlyDeletedCsvs::kRemembered, 1},
                           Case{"Replaced", "widget.v0", absl::ZeroDuration(), 1}}) {
    SCOPED_TRACE(test.name);
    events_.events.clear();
    Start();
    EXPECT_OK(Pass().status());
    Add({"a/x"});
    Merge(kCsvs, kCsv, R"({"spec":{"replaces":"widget.v0"}})");
    cluster_->Run(cluster_->AddOtherCsv(
        "ops", test.csv,
        R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
    EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
    cluster_->Run(cluster_->Remove(kCsvs, {"ops", test.csv}));
    // After a longer time, a sweep has noticed before that the other CSV is gone.
    if (test.later > absl::ZeroDuration()) {
      EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
    }
    cluster_->clock().Advance(test.later);
    cluster_->DeleteCsv();
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), test.deletes);
    if (test.deletes == 0) {
      EXPECT_THAT(events_.events,
                  Contains(HasSubstr(
                      "an operator that owned the same definitions was uninstalled 1 s ago")));
    }
  }
}

// The rights are let go of for good: what changes later finds nobody to finish it (R-000-89).
TEST_F(CleanerTest, R_000_89_NothingIsDeletedAfterTheRightsWereLetGoOf) {
  for (const bool restarts : {false, true}) {
    Start();
    EXPECT_OK(Pass().status());  // holds the rights
    Add({"a/x"}, true);
    Merge(kCsvs, kCsv, R"({"status":{"phase":"Failed"}})", "status");
    cluster_->DeleteCsv();
    for (int i = 0; i < 5 && cluster_->Annotation(olm::kRightsReleasedAnnotation).empty(); ++i) {
      EXPECT_OK(Pass().status());
      cluster_->clock().Advance(absl::Seconds(1));
    }
    ASSERT_FALSE(Released());
    ASSERT_TRUE(cluster_->Annotation(olm::kRightsReleasedAnnotation).starts_with("Refused"));
    if (restarts) Restart();
    // One more pass would have been allowed to continue now.
    Merge(kCsvs, kCsv, R"({"status":{"phase":"Succeeded"}})", "status");
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), 0);
  }
}

// A refusal for a moment, which is over at the next look, costs the operator nothing.
TEST_F(CleanerTest, R_000_89_OneRefusedReadingLetsGoOfNothing) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"});
  const auto keep = [this](std::string_view value) {
    Merge(
        kCsvs, kCsv,
        StrCat(R"({"metadata":{"annotations":{")", olm::kOptOutAnnotation, R"(":)", value, "}}}"));
  };
  keep(R"("true")");
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  EXPECT_OK(Pass().status());
  EXPECT_EQ(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))).size(),
            1u);
  EXPECT_FALSE(Released());
  keep("null");
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
}

// The second look comes a second after the first one ended, since the reason of the refusal may
// have arisen during it.
TEST_F(CleanerTest, R_000_89_ASlowReadingIsNoSecondLook) {
  absl::Duration takes;
  known_ = [this, &takes](const std::set<kube::NamespacedName>&) {
    cluster_->clock().Advance(std::exchange(takes, absl::ZeroDuration()));
    return std::vector<olm::CsvFacts>();
  };
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->OperatorFinishes(1));
  cluster_->Run(cluster_->AddOtherCsv(
      "c", "second.v1",
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  takes = absl::Milliseconds(1500);
  EXPECT_OK(Pass().status());
  EXPECT_OK(Pass().status());
  EXPECT_EQ(cluster_->Annotation(olm::kRightsReleasedAnnotation), "");
  cluster_->clock().Advance(absl::Seconds(1));
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Annotation(olm::kRightsReleasedAnnotation), HasSubstr("SharedOwner"));
}

// Operands that appear after the last listing are named, and kept.
TEST_F(CleanerTest, R_000_89_WhatIsLeftIsNamed) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"});
  cluster_->DeleteCsv();
  for (int i = 0; i < 20 && cluster_->Annotation(olm::kRightsReleasedAnnotation).empty(); ++i) {
    EXPECT_OK(Pass().status());
    cluster_->clock().Advance(absl::Seconds(1));
  }
  ASSERT_EQ(cluster_->Annotation(olm::kRightsReleasedAnnotation), "Completed");
  Add({"a/late"});
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/late"));
  EXPECT_EQ(Deletes(), 1);
}

TEST_F(CleanerTest, R_000_70_AnotherVersionAnswers) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kList, kWidgets},
                    kube::ToStatus(kube::InternalError("conversion webhook failed")), 1000);
  Passes();
  EXPECT_TRUE(Released());
  const kube::GroupVersionResource beta = {"example.com", "v1beta1", "widgets"};
  EXPECT_EQ(Deletes(beta), 1);
}

TEST_F(CleanerTest, R_000_70_NoVersionAnswers) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  const absl::Status broken = kube::ToStatus(kube::InternalError("conversion webhook failed"));
  const kube::GroupVersionResource beta = {"example.com", "v1beta1", "widgets"};
  faults_->FailNext({ClientVerb::kList, kWidgets}, broken, 1000);
  faults_->FailNext({ClientVerb::kList, beta}, broken, 1000);
  Passes(6);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("conversion webhook failed"));
}

TEST_F(CleanerTest, R_000_70_EveryPageCounts) {
  ClusterShape shape;
  shape.targets = {"a"};
  Start(shape);
  for (int i = 0; i < 501; ++i) Add({StrCat("a/x", i)}, true);
  cluster_->DeleteCsv();
  Passes(4);
  EXPECT_EQ(Deletes(), 501);
  EXPECT_EQ(cluster_->Run(cluster_->OperatorFinishes(500)), 500);
  faults_->Expire(kWidgets);
  Passes(5);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
}

// --- Deletions that fail.

TEST_F(CleanerTest, R_000_71_RecreatedOperandsAreDeletedThreeTimes) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  for (int i = 0; i < 60; ++i) {
    const absl::StatusOr<ReconcileResult> result = Pass();
    ASSERT_OK(result.status());
    Add({"a/x"});  // GitOps
    cluster_->clock().Advance(absl::Seconds(5));
  }
  EXPECT_EQ(Deletes(), 3);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("OperandsRecreated"));
  cluster_->Run(cluster_->Remove(kWidgets, {"a", "x"}));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_71_WhatAdmissionDeniesStalls) {
  Start();
  Add({"a/x", "a/y"});
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kDelete, kWidgets, "x"},
                    kube::ToStatus(kube::Forbidden(kWidgets, "x", "there is data in it")), 1000);
  for (int i = 0; i < 60; ++i) {
    EXPECT_OK(Pass().status());
    cluster_->clock().Advance(absl::Seconds(1));
  }
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/x"));
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("there is data in it"));
  const int tries = faults_->calls({ClientVerb::kDelete, kWidgets, "x"});
  EXPECT_GE(tries, 2);
  EXPECT_LE(tries, 4) << "10 s, 20 s, 40 s";
  faults_->ForgetFaults(kWidgets);
  cluster_->clock().Advance(absl::Minutes(5));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_71_AnObjectOfTheSameNameIsAnother) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  EXPECT_OK(Pass().status());
  ASSERT_OK(cluster_->Run(faults_->Freeze(kWidgets)));
  cluster_->Run(cluster_->Remove(kWidgets, {"a", "x"}));
  Add({"a/x"});
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 1);
  EXPECT_THAT(cluster_->Names(kWidgets), ElementsAre("a/x")) << "409: not the one that was seen";
  faults_->Thaw(kWidgets);
  cluster_->clock().Advance(absl::Seconds(10));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_71_ATerminatingNamespaceIsProgress) {
  Start();
  Add({"a/x", "b/y"}, true);
  cluster_->Run(cluster_->Remove(kNamespaces, {"", "a"}));
  cluster_->DeleteCsv();
  Passes(3);
  EXPECT_EQ(Deletes(), 2) << "what lies in it has to be finished, too";
  EXPECT_EQ(cluster_->Run(cluster_->OperatorFinishes(1)), 1);
  Passes(3);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(1));
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(events_.events, Contains(HasSubstr("Normal CleanupCompleted")));
}

TEST_F(CleanerTest, SlowGuardsSendNothing) {
  CleanerOptions options;
  options.deleter.guard_age = absl::ZeroDuration();
  Start({}, options);
  Add({"a/x"});
  cluster_->DeleteCsv();
  Passes(6);
  EXPECT_EQ(Deletes(), 0);
  EXPECT_FALSE(Released());
  cluster_->clock().Advance(absl::Minutes(11));
  Passes(3);
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("reading the guards takes longer"));
}

// --- Unknown.

struct UnreadableCase {
  const char* name;
  Calls calls;
};
class UnreadableTest : public CleanerTest, public ::testing::WithParamInterface<UnreadableCase> {};

TEST_P(UnreadableTest, R_000_66_SendsNothingAndReleasesNothing) {
  const absl::Status errors[] = {
      kube::ToStatus(kube::TooManyRequests("busy", 1)),
      kube::ToStatus(kube::InternalError("storage")),
      kube::ToStatus(kube::ServiceUnavailable("starting", 1)),
      kube::ToStatus(kube::Timeout("slow", 1)),
      kube::ToStatus(kube::Forbidden(GetParam().calls.gvr, "", "RBAC")),
      kube::ToStatus(kube::Unauthorized()),
      kube::ToStatus(kube::NotFoundPath()),
      absl::UnavailableError("connection refused"),
      absl::DeadlineExceededError("no answer"),
      absl::DataLossError("cut"),
  };
  for (const absl::Status& error : errors) {
    Start();
    Add({"a/x"}, true);
    cluster_->DeleteCsv();
    faults_->FailNext(GetParam().calls, error, 1000);
    Passes(4);
    EXPECT_EQ(Deletes(), 0) << error;
    EXPECT_FALSE(Released()) << error;
    EXPECT_EQ(Record(), "") << error;
    if (GetParam().calls.verb != ClientVerb::kGet || GetParam().calls.gvr != kCsvs) {
      EXPECT_THAT(cluster_->Condition("CleanupUnknown"), Not(IsEmpty())) << error;
    }
    faults_->ForgetFaults(GetParam().calls.gvr);
    cluster_->clock().Advance(absl::Seconds(30));
    Passes(4);
    EXPECT_EQ(Deletes(), 1) << "and then it goes on";
    // The same error during a cleanup only delays it.
    cluster_->Run(cluster_->OperatorFinishes(5));
    Add({"b/y"});
    faults_->FailNext(GetParam().calls, error, 1000);
    Passes(4);
    EXPECT_EQ(Deletes(), 1) << error;
    EXPECT_FALSE(Released()) << error;
    faults_->ForgetFaults(GetParam().calls.gvr);
    cluster_->clock().Advance(absl::Seconds(30));
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, UnreadableTest,
    ::testing::Values(UnreadableCase{"Csv", {ClientVerb::kGet, kCsvs}},
                      UnreadableCase{"Csvs", {ClientVerb::kList, kCsvs}},
                      UnreadableCase{"Namespace", {ClientVerb::kGet, kNamespaces}},
                      UnreadableCase{"Groups", {ClientVerb::kList, kOperatorGroups}},
                      UnreadableCase{"Crd", {ClientVerb::kGet, kCrds}},
                      UnreadableCase{"CsvDefinition", {ClientVerb::kList, kCrds}},
                      UnreadableCase{"Deployment", {ClientVerb::kGet, kDeployments}},
                      UnreadableCase{"Policy", {ClientVerb::kGet, kPolicies}},
                      UnreadableCase{"Bindings", {ClientVerb::kList, kPolicyBindings}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace steward::controllers

// What a cleaner does when the cluster does not do as it should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_client.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/names.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
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
  cluster_->Run(cluster_->FinishCrd("widgets.example.com"));
  Passes();
  EXPECT_TRUE(Released());
}

// No policy is asked about what goes with its definition.
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

// What was begun before is finished, and nothing else is begun.
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
  // A server does not serve it yet; nor is anything stored.
  faults_->FailNext({ClientVerb::kList, kWidgets}, kube::ToStatus(kube::NotFoundPath()), 1000);
  const kube::GroupVersionResource beta = {"example.com", "v1beta1", "widgets"};
  faults_->FailNext({ClientVerb::kList, beta}, kube::ToStatus(kube::NotFoundPath()), 1000);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(faults_->calls({ClientVerb::kList, kWidgets}), 0);
}

// Nothing was sent, so nothing is waited for: not even for what cannot be listed (R-000-86).
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

// Nobody is left who could finish what was begun: the namespace must not hang for ever.
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
    // One more pass would have found that it is allowed now.
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

// The second look is a second after the first one ended: what refused may have begun in the middle
// of it.
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

// What appears after the last listing is named, and left alone.
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

// --- Deletions that do not go smoothly.

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
    // And in the middle.
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

// --- Rights.

TEST_F(CleanerTest, R_000_73_RightsAreHeldUntilTheEnd) {
  Start();
  Add({"a/x"}, true);
  const auto role = [this] {
    return cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}));
  };
  EXPECT_OK(Pass().status());
  EXPECT_THAT(FinalizersOf(role()), ElementsAre(std::string(olm::kHoldFinalizer)));
  EXPECT_THAT(cluster_->Condition("RightsHeld"), HasSubstr("1 objects"));
  const int patches = Patches();
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Patches(), patches) << "nothing changed, nothing is written";
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->OlmCleansUp());
  EXPECT_TRUE(IsMarked(role()));
  Passes(6);
  EXPECT_FALSE(role().is_null());
  EXPECT_THAT(cluster_->Condition("RightsHeld"), Not(IsEmpty()));
  cluster_->Run(cluster_->OperatorFinishes(5));
  // One pass lets go of the rights, the next confirms that before the finalizer goes.
  cluster_->clock().Advance(absl::Seconds(30));
  EXPECT_OK(Pass().status());
  EXPECT_TRUE(role().is_null());
  EXPECT_FALSE(Released());
  EXPECT_OK(Pass().status());
  EXPECT_TRUE(Released());
}

TEST_F(CleanerTest, R_000_73_WhoOptsOutIsNotSaidToBeHeld) {
  Start();
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("RightsHeld"), Not(IsEmpty()));
  Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":["operators.coreos.com/csv-cleanup"]}})");
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("RightsHeld"), IsEmpty());
  const int patches = Patches();
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Patches(), patches);
}

TEST_F(CleanerTest, R_000_73_ADeleteThatCameFirst) {
  Start();
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->OlmCleansUp());
  Passes(5);
  EXPECT_THAT(cluster_->Condition("RightsMayBeLost"), Not(IsEmpty()));
}

struct RightsCase {
  const char* name;
  ClientVerb fails;
};
class RightsTroubleTest : public CleanerTest, public ::testing::WithParamInterface<RightsCase> {};
TEST_P(RightsTroubleTest, R_000_73_HoldsTheFinalizer) {
  Start();
  EXPECT_OK(Pass().status());
  cluster_->DeleteCsv();
  faults_->FailNext({GetParam().fails, kClusterRoles},
                    kube::ToStatus(kube::InternalError("storage")), 1000);
  Passes(5);
  EXPECT_FALSE(Released());
  faults_->ForgetFaults(kClusterRoles);
  Passes();
  EXPECT_TRUE(Released());
}
INSTANTIATE_TEST_SUITE_P(All, RightsTroubleTest,
                         ::testing::Values(RightsCase{"CannotBeReleased", ClientVerb::kPatch},
                                           RightsCase{"CannotBeLookedAt", ClientVerb::kList}),
                         [](const auto& info) { return std::string(info.param.name); });

// What a cleanup that has begun holds is its own to let go of: the operator has to finish.
TEST_F(CleanerTest, R_000_73_NothingIsLetGoOfWhileSomethingIsFinished) {
  for (const char* change : {R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})",
                             R"({"metadata":{"annotations":{"olm.operatorNamespace":"x"}}})"}) {
    Start();
    EXPECT_OK(Pass().status());
    Add({"a/x"}, true);
    cluster_->DeleteCsv();
    Passes(5);
    ASSERT_EQ(Deletes(), 1);
    Merge(kCsvs, kCsv, change);
    Passes(5);
    EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
    EXPECT_THAT(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))),
                ElementsAre(std::string(olm::kHoldFinalizer)));
    cluster_->Run(cluster_->OperatorFinishes(1));
    Passes();
    EXPECT_TRUE(Released());
  }
}

// It is for the cleanup, which knows whether they are still needed.
TEST_F(CleanerTest, R_000_73_TheSweepHoldsNothingOfWhatIsBeingDeleted) {
  Start();
  cluster_->DeleteCsv();
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_THAT(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))),
              IsEmpty());
}

TEST_F(CleanerTest, R_000_73_SweepReleasesWhatHasNoReason) {
  Start();
  EXPECT_OK(Pass().status());
  const auto held = [this] {
    const json::value role = cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}));
    return !role.is_null() && !FinalizersOf(role).empty();
  };
  ASSERT_TRUE(held());
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_TRUE(held());
  // Not opted in any more.
  Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":["operators.coreos.com/csv-cleanup"]}})");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
  Merge(kCsvs, kCsv, StrCat(R"({"metadata":{"finalizers":[")", kFinalizer, R"("]}})"));
  EXPECT_THAT(cluster_->Run(cleaner_->Sweep()).look_at, ElementsAre(kCsv))
      << "its status is to say that they are held";
  EXPECT_TRUE(held()) << "new objects are held by the sweep, too";
  // Replaced.
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Replacing"}})", "status");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Succeeded"}})", "status");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  ASSERT_TRUE(held());
  // Its labels are gone: it belongs to nobody.
  Merge(kClusterRoles, {"", "widget-role"}, R"({"metadata":{"labels":null}})");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
}

// Whatever became of it since, an operator that waits for us is found.
TEST_F(CleanerTest, R_000_72_TheSweepFindsWhatIsNotWatched) {
  Start();
  EXPECT_OK(Pass().status());
  Merge(kCsvs, kCsv, R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})");
  EXPECT_THAT(cluster_->Run(cleaner_->Sweep()).look_at, IsEmpty());
  cluster_->DeleteCsv();
  EXPECT_THAT(cluster_->Run(cleaner_->Sweep()).look_at, ElementsAre(kCsv));
}

// Roles and bindings answer an old resourceVersion with 403: only then is that no failure.
TEST_F(CleanerTest, R_000_73_AForbiddenReleaseIsAFailure) {
  Start();
  EXPECT_OK(Pass().status());
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kPatch, kClusterRoles},
                    kube::ToStatus(kube::Forbidden(
                        {"rbac.authorization.k8s.io", "v1", "clusterroles"}, "widget-role", "no")),
                    1000);
  Passes(5);
  EXPECT_FALSE(Released());
}

TEST_F(CleanerTest, R_000_73_AnAdminWhoRevokesIsNotHeldUp) {
  Start();
  EXPECT_OK(Pass().status());
  cluster_->Run(cluster_->Remove(kClusterRoles, {"", "widget-role"}));
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Names(kClusterRoles), IsEmpty());
}

TEST_F(CleanerTest, R_000_73_ReleaseAll) {
  Start();
  EXPECT_OK(Pass().status());
  HoldKeeper keeper(*faults_);
  const SweepResult released = cluster_->Run(keeper.ReleaseAll());
  ASSERT_OK(released.failure);
  EXPECT_EQ(released.released, 1u);
  EXPECT_THAT(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))),
              IsEmpty());
  EXPECT_FALSE(Released()) << "the opt-in is the admin's";
}

TEST_F(CleanerTest, RoundsThatFailAreTriedEverMoreSeldom) {
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kDelete, kWidgets},
                    kube::ToStatus(kube::ServiceUnavailable("busy", 0)), 1000);
  std::vector<absl::Duration> waits;
  while (Deletes() < 8) {
    const absl::StatusOr<ReconcileResult> result = Pass();
    ASSERT_OK(result.status());
    ASSERT_TRUE(result->requeue_after.has_value());
    if (Deletes() > 0) waits.push_back(*result->requeue_after);
    cluster_->clock().Advance(*result->requeue_after);
  }
  EXPECT_TRUE(std::is_sorted(waits.begin(), waits.end()));
  EXPECT_EQ(waits.back(), absl::Seconds(30));
}

TEST_F(CleanerTest, NoLeaderNoWrite) {
  class Nobody : public Leadership {
   public:
    absl::Duration Remaining() const override { return absl::ZeroDuration(); }
  };
  Start();
  Add({"a/x"});
  cluster_->DeleteCsv();
  Nobody nobody;
  CleanerDeps deps{*faults_, nobody, events_, cluster_->clock(), metrics_, known_};
  cleaner_ = std::make_unique<Cleaner>(deps, options_);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(Pass().ok());
  EXPECT_EQ(Deletes() + Patches(), 0);
}

}  // namespace
}  // namespace steward::controllers

// Tests of reports: cleanups that cannot go on, conditions of operators, and operators without
// spec.cleanup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- Every step that keeps failing is reported (R-000-34).

TEST_F(CleanerTest, R_000_34_RightsThatCannotBeReleasedStall) {
  Start();
  EXPECT_OK(Pass().status());
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kPatch, kClusterRoles},
                    kube::ToStatus(kube::InternalError("the role's webhook is dead")), 1000);
  Passes(5);
  EXPECT_EQ(cluster_->Condition("CleanupStalled"), "");
  cluster_->clock().Advance(absl::Minutes(10));
  Passes(3);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("the role's webhook is dead"));
  EXPECT_THAT(MetricsText(), HasSubstr(R"(steward_cleanup_stalled{name="widget.v1")"));
  faults_->ForgetFaults(kClusterRoles);
  cluster_->clock().Advance(absl::Minutes(1));
  Passes();
  EXPECT_TRUE(Released());
}

// Another client holds them again each time.
TEST_F(CleanerTest, R_000_34_RightsThatAreHeldAgainStall) {
  Start();
  EXPECT_OK(Pass().status());
  cluster_->DeleteCsv();
  for (int i = 0; i < 40; ++i) {
    EXPECT_OK(Pass().status());
    Merge(kClusterRoles, {"", "widget-role"},
          R"({"metadata":{"finalizers":["steward.operatorframework.io/hold-rights"]}})");
    cluster_->clock().Advance(absl::Seconds(30));
  }
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("NoProgress"));
}

// Writes of the object itself are refused, those of its status are not.
class RefuseWrites : public kube::Hooks {
 public:
  bool refuses = true;
  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    kube::HookedFate fate;
    if (refuses && call.gvr == kCsvs && call.write != nullptr && call.write->subresource.empty()) {
      fate.error = kube::ToStatus(kube::Forbidden(kCsvs, "widget.v1", "nobody changes operators"));
    }
    co_return fate;
  }
};

struct StepCase {
  const char* name;
  bool with_operand;  // else there is nothing to delete, and the finalizer cannot be removed
  const char* phase;
};
class StepThatFailsTest : public CleanerTest, public ::testing::WithParamInterface<StepCase> {};

TEST_P(StepThatFailsTest, R_000_34_IsSeen) {
  Start();
  if (GetParam().with_operand) Add({"a/x"});
  Merge(kCsvs, kCsv, StrCat(R"({"status":{"phase":")", GetParam().phase, R"("}})"), "status");
  RefuseWrites hooks;
  kube::HookClient client(*faults_, hooks);
  cluster_->DeleteCsv();
  CleanerDeps deps{client, leader_, events_, cluster_->clock(), metrics_, known_};
  cleaner_ = std::make_unique<Cleaner>(deps, options_);
  Passes(5);
  EXPECT_EQ(cluster_->Condition("CleanupStalled"), "");
  cluster_->clock().Advance(absl::Minutes(10));
  Passes(3);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), 0);
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("nobody changes operators"));
  EXPECT_THAT(events_.events, Contains(HasSubstr("Warning CleanupStalled: NoProgress")));
  hooks.refuses = false;
  cluster_->clock().Advance(absl::Minutes(1));
  Passes();
  EXPECT_TRUE(Released());
  cleaner_.reset();  // before its client
}
INSTANTIATE_TEST_SUITE_P(All, StepThatFailsTest,
                         ::testing::Values(StepCase{"Record", true, "Succeeded"},
                                           StepCase{"Finalizer", false, "Failed"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(CleanerTest, R_000_42_AnAbortThatFailsIsTold) {
  ClusterShape shape;
  shape.enabled = false;
  Start(shape);
  RefuseWrites hooks;
  kube::HookClient client(*faults_, hooks);
  CleanerDeps deps{client, leader_, events_, cluster_->clock(), metrics_, known_};
  cleaner_ = std::make_unique<Cleaner>(deps, options_);
  cluster_->DeleteCsv();
  EXPECT_FALSE(Pass().ok());
  EXPECT_THAT(events_.events, Contains(HasSubstr("Warning CleanupStalled: the finalizer could not "
                                                 "be removed: ")));
  cleaner_.reset();  // before its client
}

// Each operand comes back under a new name, so names do not show that they come back.
TEST_F(CleanerTest, R_000_71_OperandsThatComeBackUnderOtherNamesStall) {
  Start();
  Add({"a/n0", "a/n1"});
  cluster_->DeleteCsv();
  for (int i = 2; i < 60; ++i) {
    EXPECT_OK(Pass().status());
    Add({StrCat("a/n", i)});
    cluster_->clock().Advance(absl::Seconds(1));
  }
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("OperandsRecreated"));
  EXPECT_GT(Deletes(), 20) << "they are still in the way";
  Passes();
  EXPECT_TRUE(Released());
}

// The wall clock may be set at any time: waits use another clock.
TEST_F(CleanerTest, TheWallClockDecidesNothing) {
  for (const absl::Duration jump : {absl::Hours(30), -absl::Hours(30)}) {
    Start();
    Add({"a/x"}, true);
    cluster_->DeleteCsv();
    Passes(4);
    EXPECT_EQ(Deletes(), 1);
    cluster_->clock().SetBy(jump);
    const int patches = Patches();
    Passes(3);
    EXPECT_EQ(cluster_->Condition("CleanupStalled"), "") << jump;
    EXPECT_LE(Patches() - patches, 1) << jump;
    cluster_->clock().Advance(absl::Minutes(10));
    Passes(3);
    EXPECT_THAT(cluster_->Condition("CleanupStalled"), HasSubstr("NoProgress")) << jump;
    // A new process begins after the jump.
    cluster_->clock().SetBy(-2 * jump);
    Restart();
    Add({"b/y"});
    Passes(4);
    EXPECT_EQ(Deletes(), 2) << jump;
    cluster_->Run(cluster_->OperatorFinishes(5));
    Passes();
    EXPECT_TRUE(Released()) << jump;
    EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  }
}

// --- The age of the guards (R-000-71).

// Measures the age of the reading of the guards by which an operand is deleted. Lists of operands
// and deletions take time.
class MeasureGuards : public kube::Hooks {
 public:
  explicit MeasureGuards(FakeClock& clock) : clock_(clock) {}
  absl::Duration list_takes, delete_takes;
  absl::Duration oldest;

  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    if (call.verb == kube::ClientVerb::kList && call.gvr == kCsvs) began_ = clock_.Monotonic();
    if (call.verb == kube::ClientVerb::kDelete) {
      oldest = std::max(oldest, clock_.Monotonic() - began_);
    }
    co_return kube::HookedFate();
  }
  boost::asio::awaitable<void> After(const kube::HookedCall& call, const absl::Status&) override {
    if (call.verb == kube::ClientVerb::kDelete) clock_.Advance(delete_takes);
    if (call.verb == kube::ClientVerb::kList && call.gvr == kWidgets) clock_.Advance(list_takes);
    co_return;
  }

 private:
  FakeClock& clock_;
  absl::Duration began_;
};

struct SlowCase {
  const char* name;
  absl::Duration list_takes, delete_takes;
};
class GuardAgeTest : public CleanerTest, public ::testing::WithParamInterface<SlowCase> {};

TEST_P(GuardAgeTest, R_000_71_NothingIsDeletedByOldGuards) {
  CleanerOptions options;
  options.deleter.width = 1;
  options.deleter.read_ahead = false;
  Start({}, options);
  for (int i = 0; i < 12; ++i) Add({StrCat("a/x", i)});
  cluster_->DeleteCsv();
  MeasureGuards hooks(cluster_->clock());
  hooks.list_takes = GetParam().list_takes;
  hooks.delete_takes = GetParam().delete_takes;
  kube::HookClient client(*faults_, hooks);
  CleanerDeps deps{client, leader_, events_, cluster_->clock(), metrics_, known_};
  cleaner_ = std::make_unique<Cleaner>(deps, options_);
  EXPECT_OK(Pass().status());
  // A round takes 5 s.
  for (int i = 0; i < 3 && Deletes() < 12; ++i) EXPECT_OK(Pass().status());
  EXPECT_EQ(Deletes(), 12) << "by guards that are read again and again";
  EXPECT_LT(hooks.oldest, absl::Seconds(2));
  cleaner_.reset();  // before its client
}
INSTANTIATE_TEST_SUITE_P(
    All, GuardAgeTest,
    ::testing::Values(SlowCase{"SlowDeletions", absl::ZeroDuration(), absl::Milliseconds(700)},
                      SlowCase{"SlowLists", absl::Seconds(5), absl::ZeroDuration()},
                      SlowCase{"SlowBoth", absl::Milliseconds(900), absl::Milliseconds(300)}),
    [](const auto& info) { return std::string(info.param.name); });

// --- Complete readings of the guards.

TEST_F(CleanerTest, R_000_59_AnOwnerOnTheLastPageCounts) {
  Start();
  Add({"a/x"});
  for (int i = 0; i < 500; ++i) {
    cluster_->Run(cluster_->AddOtherCsv("c", StrCat("csv-", 1000 + i), "{}"));
  }
  // Lists are ordered by namespace.
  cluster_->Run(cluster_->AddOtherCsv(
      "zzz", "other.v1",
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  cluster_->Run(cluster_->AddOtherCsv(
      "ops", "zzz.v1",
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 0);
}

// --- Reports of operators (R-000-16).

constexpr char kOperatorConditionCrd[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"operatorconditions.operators.coreos.com"},)"
    R"("spec":{"group":"operators.coreos.com","scope":"Namespaced","names":)"
    R"({"plural":"operatorconditions","kind":"OperatorCondition"},)"
    R"("versions":[{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

class ReportedTest : public CleanerTest {
 protected:
  void SetUp() override {
    CleanerOptions options;
    options.reporter.failure_condition = "CleanupFailed";
    Start({}, options);
    cluster_->Run(cluster_->Create(kCrds, "", kOperatorConditionCrd));
    Add({"a/x"}, true);
  }
  void Report(const std::string& status, const std::string& message) {
    const std::string conditions = StrCat(R"([{"type":"CleanupFailed","status":")", status,
                                          R"(","reason":"Stuck","message":")", message, R"("}])");
    cluster_->Run(cluster_->Create(
        kOperatorConditions, "ops",
        StrCat(R"({"apiVersion":"operators.coreos.com/v2","kind":"OperatorCondition",)",
               R"("metadata":{"name":"widget.v1"},"spec":{"conditions":)", conditions, "}}")));
    Merge(kOperatorConditions, kCsv, StrCat(R"({"spec":{"conditions":)", conditions, "}}"));
  }
  void Later() {
    cluster_->clock().Advance(absl::Seconds(11));
    Passes(3);
  }
};

TEST_F(ReportedTest, R_000_16_IsTold) {
  Report("True", "the disk is busy");
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"),
              HasSubstr("for 1 CR; it reports: Stuck: the disk is busy"));
  EXPECT_THAT(cluster_->Condition("CleanupStalled"),
              HasSubstr("OperatorReportsFailure: Stuck: the disk is busy"));
  EXPECT_THAT(MetricsText(), HasSubstr(R"(reason="OperatorReportsFailure"} 1)"));
  EXPECT_THAT(MetricsText(),
              HasSubstr(R"(steward_cleanup_reported_failure{message="Stuck: the disk is busy",)"
                        R"(name="widget.v1",namespace="ops"} 1)"));
  // A report that can no longer be read stays; one that the operator withdraws is removed.
  faults_->FailNext({ClientVerb::kGet, kOperatorConditions},
                    kube::ToStatus(kube::InternalError("storage")), 3);
  Later();
  EXPECT_THAT(cluster_->Condition("WaitingOnCleanup"), HasSubstr("the disk is busy"));
  faults_->ForgetFaults(kOperatorConditions);
  Report("False", "all is well");
  Later();
  EXPECT_EQ(cluster_->Condition("WaitingOnCleanup"),
            "WaitingOnCleanup: waiting for operator to finish cleanup for 1 CR");
  EXPECT_EQ(cluster_->Condition("CleanupStalled"), "");
  EXPECT_THAT(MetricsText(), Not(HasSubstr("steward_cleanup_reported_failure{")));
  cluster_->Run(cluster_->OperatorFinishes(1));
  Later();
  EXPECT_TRUE(Released());
}

TEST_F(ReportedTest, R_000_16_DecidesNothing) {
  Report("True", "no");
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kGet, kOperatorConditions}, absl::UnavailableError("gone"), 1);
  Passes(4);
  EXPECT_EQ(Deletes(), 1) << "whatever it says, and whether that can be read or not";
  cluster_->Run(cluster_->OperatorFinishes(1));
  Later();
  EXPECT_TRUE(Released());
}

TEST_F(ReportedTest, R_000_16_NobodyAsksWithoutTheFlag) {
  options_.reporter.failure_condition.clear();
  Restart();
  Report("True", "no");
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(faults_->calls({ClientVerb::kGet, kOperatorConditions}), 0);
  EXPECT_EQ(cluster_->Condition("CleanupStalled"), "");
}

// --- Operators without spec.cleanup (R-000-20).

class UnsetTest : public CleanerTest {
 protected:
  void Begin() {
    CleanerOptions options;
    options.guards.terms.supported_by_default = true;
    ClusterShape shape;
    shape.enabled = false;  // makes a shape without the field
    Start(shape, options);
    Add({"a/x", "b/y"}, true);
  }
};

TEST_F(UnsetTest, R_000_20_TheyAreTakenForSupporting) {
  Begin();
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("RightsHeld"), HasSubstr("1 objects"));
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_THAT(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))),
              Not(IsEmpty()));
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(Deletes(), 2);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(5));
  Passes();
  EXPECT_TRUE(Released());
}

TEST_F(UnsetTest, R_000_20_TheAdministratorStillOptsIn) {
  Begin();
  Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":["someone.example.com/else"]}})");
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(Deletes(), 0);
}

TEST_F(UnsetTest, R_000_20_FalseStaysFalse) {
  Begin();
  Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(Deletes(), 0);
  EXPECT_TRUE(Released());
}

// R-000-42: only false aborts. A cleanup whose field is removed continues as it would have begun.
TEST_F(UnsetTest, R_000_20_42_FalseAbortsAndUnsetDoesNot) {
  Begin();
  Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":true}}})");
  cluster_->DeleteCsv();
  Passes(4);
  Merge(kCsvs, kCsv, R"({"spec":{"cleanup":null}})");
  Passes(4);
  EXPECT_FALSE(Released());
  EXPECT_EQ(Deletes(), 2);
  Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
  Passes(2);
  EXPECT_TRUE(Released());
  EXPECT_THAT(events_.events, Contains(HasSubstr("CleanupAborted")));
}

}  // namespace
}  // namespace steward::controllers

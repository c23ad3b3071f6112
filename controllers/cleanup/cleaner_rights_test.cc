// Tests of the rights that are held for an operator while it is cleaned up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
  // One pass releases the rights, the next confirms that before the finalizer is removed.
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

// The rights of a cleanup that has begun are released by that cleanup alone: the operator has to
// finish.
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

// The cleanup decides, as it knows whether the rights are still needed.
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
  // The operator is no longer opted in.
  Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":["operators.coreos.com/csv-cleanup"]}})");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
  Merge(kCsvs, kCsv, StrCat(R"({"metadata":{"finalizers":[")", kFinalizer, R"("]}})"));
  EXPECT_THAT(cluster_->Run(cleaner_->Sweep()).look_at, ElementsAre(kCsv))
      << "its status is to say that they are held";
  EXPECT_TRUE(held()) << "new objects are held by the sweep, too";
  // The operator is being replaced.
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Replacing"}})", "status");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
  Merge(kCsvs, kCsv, R"({"status":{"phase":"Succeeded"}})", "status");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  ASSERT_TRUE(held());
  // Without its labels the role belongs to no operator.
  Merge(kClusterRoles, {"", "widget-role"}, R"({"metadata":{"labels":null}})");
  EXPECT_OK(cluster_->Run(cleaner_->Sweep()).failure);
  EXPECT_FALSE(held());
}

// The sweep finds every operator that waits for Steward, whatever became of it.
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

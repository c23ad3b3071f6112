#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/plan_outlook.h"
#include "olm/resources.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/plans/watched_plans.h"
#include "storage/reflector/world_feed.h"
#include "storage/world/source_set.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;

std::string PlanJson(const std::string& name, const std::string& phase = "Installing") {
  return StrCat(
      R"({"metadata":{"name":")", name, R"(","namespace":"ops","uid":"u-)", name,
      R"("},"spec":{"approved":true},"status":{"phase":")", phase,
      R"(","plan":[{"resolving":"a","status":"Unknown","resource":)",
      R"({"group":"monitoring.coreos.com","version":"v1","kind":"ServiceMonitor","name":"m",)",
      R"("manifest":"{\"apiVersion\":\"monitoring.coreos.com/v1\",\"kind\":\"ServiceMonitor\"}"}}]}})");
}
std::string DefinitionJson(const std::string& group, const std::string& kind) {
  return StrCat(R"({"metadata":{"name":"x.)", group, R"(","uid":"u"},"spec":{"group":")", group,
                R"(","scope":"Namespaced","names":{"plural":"x","kind":")", kind,
                R"("},"versions":[{"name":"v1","served":true}]},"status":{"conditions":[)",
                R"({"type":"Established","status":"True"},)",
                R"({"type":"NamesAccepted","status":"True"}]}})");
}

std::string GroupJson(const std::string& ns, const std::string& name, const std::string& account) {
  return StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":")", name,
                R"(","uid":"u"},"spec":{"serviceAccountName":")", account, R"("}})");
}

class PlansTest : public ::testing::Test {
 protected:
  void PutPlan(const std::string& json) {
    writer_.Put(kInstallPlanSource, *olm::DecodePlan(json), ++revision_);
  }
  void PutDefinition(const std::string& json) {
    writer_.Put(kDefinitionSource, *olm::DecodeDefinition(json), ++revision_);
  }
  void PutGroup(const std::string& ns, const std::string& name, const std::string& account = "") {
    writer_.Put(kPlanGroupSource, *olm::DecodePlanGroup(GroupJson(ns, name, account)), ++revision_);
  }
  PlanWorldPtr Snapshot() const { return PlanWorld::Of(writer_.Snapshot()); }

  WorldWriter writer_{kPlanSources};
  uint64_t revision_ = 10;
  PlanOutlooks outlooks_;
};

TEST_F(PlansTest, WorldsHoldBothKinds) {
  PutPlan(PlanJson("a"));
  PutDefinition(DefinitionJson("example.com", "Reed"));
  const PlanWorldPtr world = Snapshot();
  EXPECT_THAT(world->KeysOf(kInstallPlanSource), ElementsAre(kube::NamespacedName{"ops", "a"}));
  EXPECT_THAT(world->KeysOf(kDefinitionSource),
              ElementsAre(kube::NamespacedName{"", "x.example.com"}));
  const uint64_t changes = world->changes();
  PutPlan(PlanJson("a"));
  EXPECT_EQ(Snapshot()->changes(), changes) << "nobody can see a difference";
  PutPlan(PlanJson("a", "Complete"));
  EXPECT_EQ(Snapshot()->changes(), changes + 1);
  writer_.Remove(kInstallPlanSource, {"ops", "a"}, ++revision_);
  writer_.Remove(kDefinitionSource, {"", "x.example.com"}, ++revision_);
  EXPECT_EQ(Snapshot()->CountOf(kInstallPlanSource), 0u);
  EXPECT_EQ(Snapshot()->CountOf(kDefinitionSource), 0u);
  EXPECT_EQ(world->CountOf(kDefinitionSource), 1u) << "of the World before";
}

TEST_F(PlansTest, OutlooksAreRecomputedWhereTheyMayHaveChanged) {
  PutPlan(PlanJson("a"));
  PutPlan(PlanJson("b"));
  const PlanOutlookMapPtr first = outlooks_.Of(Snapshot());
  EXPECT_EQ(outlooks_.Of(Snapshot()), first);
  const kube::NamespacedName a = {"ops", "a"};
  const kube::NamespacedName b = {"ops", "b"};
  EXPECT_THAT(first->at(a)->apis, ElementsAre(olm::StepApi::kAbsent));

  PutDefinition(DefinitionJson("example.com", "Reed"));
  EXPECT_EQ(outlooks_.Of(Snapshot()), first) << "it concerns no plan";
  PutPlan(PlanJson("b", "Complete"));
  const PlanOutlookMapPtr second = outlooks_.Of(Snapshot());
  EXPECT_EQ(second->at(a), first->at(a));
  EXPECT_EQ(second->at(b)->plan->phase, "Complete");

  PutDefinition(DefinitionJson("monitoring.coreos.com", "ServiceMonitor"));
  const PlanOutlookMapPtr third = outlooks_.Of(Snapshot());
  EXPECT_THAT(third->at(a)->apis, ElementsAre(olm::StepApi::kNamespaced));
  writer_.Remove(kInstallPlanSource, a, ++revision_);
  const PlanOutlookMapPtr fourth = outlooks_.Of(Snapshot());
  EXPECT_EQ(fourth->size(), 1u);
  EXPECT_EQ(fourth->at(b), third->at(b));
}

TEST_F(PlansTest, OutlooksFollowTheGroupsOfTheirNamespaces) {
  PutPlan(PlanJson("a"));
  const kube::NamespacedName a = {"ops", "a"};
  const auto waits = [&] { return !outlooks_.Of(Snapshot())->at(a)->group.waits.empty(); };
  EXPECT_TRUE(waits());
  PutGroup("other", "g");
  EXPECT_TRUE(waits());
  PutGroup("ops", "g");
  EXPECT_FALSE(waits());
  EXPECT_THAT(Snapshot()->KeysOf(kPlanGroupSource),
              ElementsAre(kube::NamespacedName{"ops", "g"}, kube::NamespacedName{"other", "g"}));
  PutGroup("ops", "g", "deployer");
  EXPECT_EQ(outlooks_.Of(Snapshot())->at(a)->group.account, "deployer");
  PutGroup("ops", "h");
  EXPECT_TRUE(waits());
  writer_.Remove(kPlanGroupSource, {"ops", "g"}, ++revision_);
  EXPECT_FALSE(waits());
  EXPECT_EQ(Snapshot()->CountOf(kPlanGroupSource), 2u);
}

class WatchedPlansTest : public ::testing::Test {
 protected:
  WatchedPlansTest() { cluster_.Serve(kube::kCrds); }
  ~WatchedPlansTest() override { RunOn(io_, tasks_.Stop()); }

  // Runs everything that can run while the clock stands still.
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    Settle();
  }
  void Start() {
    feed_.Start(tasks_);
    Settle();
  }
  PlanWorldPtr Now() const { return PlanWorld::Of(worlds_.Current()); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  WorldStore worlds_{kPlanSources};
  WorldFeed feed_{cluster_, clock_, Random::Real(), WatchedPlans(), worlds_};
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(WatchedPlansTest, FollowTheCluster) {
  cluster_.Serve(olm::kInstallPlans);
  cluster_.Serve(olm::kOperatorGroups);
  cluster_.Put(olm::kOperatorGroups, GroupJson("ops", "g", "deployer"));
  cluster_.Put(olm::kInstallPlans, PlanJson("a"));
  cluster_.Put(kube::kCrds, DefinitionJson("example.com", "Reed"));
  Start();
  EXPECT_TRUE(Now()->synced());
  EXPECT_EQ(Now()->CountOf(kDefinitionSource), 1u);
  cluster_.Put(olm::kInstallPlans, PlanJson("a", "Complete"));
  Settle();
  EXPECT_EQ((*Now()->plans().Find({"ops", "a"}))->phase, "Complete");
  EXPECT_EQ((*Now()->groups().Find({"ops", "g"}))->account, "deployer");
}

// A cluster without OLM has no plans, which is known soon.
TEST_F(WatchedPlansTest, TheApiOfInstallPlansMayBeAbsent) {
  Start();
  for (int i = 0; i < 10 && !Now()->synced(); ++i) Pass(absl::Seconds(1));
  EXPECT_TRUE(Now()->synced());
  EXPECT_TRUE(Now()->source(kInstallPlanSource).absent);
  cluster_.Serve(olm::kInstallPlans);
  cluster_.Put(olm::kInstallPlans, PlanJson("a"));
  for (int i = 0; i < 10 && Now()->CountOf(kInstallPlanSource) == 0; ++i) Pass(absl::Seconds(1));
  EXPECT_EQ(Now()->CountOf(kInstallPlanSource), 1u);
}

}  // namespace
}  // namespace steward::storage

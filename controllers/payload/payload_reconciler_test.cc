#include "controllers/payload/payload_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "payload/testing/payload_cluster.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using payload::kTestConfigMaps;
using payload::TestConfigMap;
using payload::TestDeletion;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kOperators = {"config.openshift.io", "v1", "clusteroperators"};

class Events : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType, std::string_view reason,
              std::string_view message) override {
    EXPECT_EQ(about.name, (kube::NamespacedName{"steward-system", "steward-payload-record"}));
    told.push_back(StrCat(std::string(reason), ": ", std::string(message)));
  }
  std::vector<std::string> told;
};

class PayloadReconcilerTest : public ::testing::Test {
 protected:
  PayloadReconcilerTest() {
    given_.folder = folder_.path();
    given_.flags.options.choices.profile.clear();
    given_.flags.options.version = "4.5.1";
    Restart();
  }
  ~PayloadReconcilerTest() override { RunOn(io_, watches_.Stop()); }

  void Restart() {
    reconciler_.emplace(ReconcilerDeps{cluster_.client(), leadership_, worlds_, watches_, events_,
                                       cluster_.clock(), random_, registry_, gates_},
                        metrics_, given_);
  }
  void Write(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) std::ofstream(folder_.path() + "/" + name) << text;
  }
  absl::StatusOr<ReconcileResult> Pass(const char* key = "payload") {
    absl::StatusOr<ReconcileResult> result = RunOn(io_, reconciler_->Reconcile({"", key}));
    // A changed folder is read once it has stopped changing.
    if (result.ok() && result->requeue_after == absl::Seconds(1)) {
      result = RunOn(io_, reconciler_->Reconcile({"", key}));
    }
    return result;
  }
  void PutConfigMap(const std::string& name, const std::string& metadata) {
    cluster_.Put(kTestConfigMaps,
                 StrCat(R"({"metadata":{"namespace":"n","name":")", name, "\"", metadata, "}}"));
  }
  // The status, reason and message of the condition that is reported; "" = none.
  std::string Reported() {
    const boost::json::value object = cluster_.Find(kOperators, {"", "steward-payload"});
    if (object.is_null()) return "";
    const boost::json::value& condition = object.at("status").at("conditions").at(0);
    return StrCat(std::string(condition.at("status").as_string()), " ",
                  std::string(condition.at("reason").as_string()), " ",
                  std::string(condition.at("message").as_string()));
  }

  TestDirectory folder_;
  boost::asio::io_context io_{1};
  payload::PayloadCluster cluster_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  PayloadMetrics metrics_{registry_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{cluster_.client(), cluster_.clock(), random_, io_.get_executor()};
  TestLeadership leadership_;
  Events events_;
  FeatureGates gates_ = FeatureGates({});
  ReconciledPayload given_;
  std::optional<PayloadReconciler> reconciler_;
};

TEST_F(PayloadReconcilerTest, R_003_10_AFaultyPayloadIsNotUsedAtAll) {
  Write({{"a.yaml", TestConfigMap("a", "1")},
         {"b.yaml", TestConfigMap("b", "1", R"("release.openshift.io/delete":"True")")},
         {"c.yaml", TestConfigMap("c", "1", R"("release.openshift.io/delete":"")")}});
  ASSERT_OK(Pass());
  ASSERT_OK(Pass());
  ASSERT_EQ(events_.told.size(), 1) << "said once";
  EXPECT_THAT(events_.told[0], HasSubstr("PayloadRefused: "));
  EXPECT_THAT(events_.told[0], HasSubstr("b.yaml:1: "));
  EXPECT_THAT(events_.told[0], HasSubstr("c.yaml:1: "));
  EXPECT_EQ(metrics_.refused.Value(), 1);
  EXPECT_THAT(cluster_.client().Objects(kTestConfigMaps), IsEmpty());
  // After the folder is corrected it is used.
  Write({{"b.yaml", TestConfigMap("b", "1")}, {"c.yaml", TestConfigMap("c", "1")}});
  ASSERT_OK(Pass());
  EXPECT_EQ(metrics_.refused.Value(), 0);
  EXPECT_EQ(metrics_.applied.Value(), 3);
  EXPECT_THAT(events_.told, Contains("UpdateCompleted: the payload 4.5.1 is completed"));
}

TEST_F(PayloadReconcilerTest, R_003_20_WhatHoldsIsReportedEverywhere) {
  cluster_.client().Serve(kOperators);
  cluster_.client().Publish(kOperators.group_version(),
                            {{"ClusterOperator", "clusteroperators", false, {}}});
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  Write({{"a.yaml", TestDeletion("held")}});
  ASSERT_OK(Pass());
  EXPECT_THAT(Reported(), HasSubstr("False ResourceDeletesInProgress "));
  EXPECT_THAT(Reported(), HasSubstr("ConfigMap \"n/held\""));
  EXPECT_THAT(events_.told, Contains(HasSubstr("ResourceDeletesInProgress: ")));
  EXPECT_THAT(events_.told, Contains("RemovalInitiated: ConfigMap \"n/held\""));
  const int writes = cluster_.client().calls(kube::FakeClient::Verb::kPatch, kOperators);
  ASSERT_OK(Pass("removals"));
  EXPECT_EQ(cluster_.client().calls(kube::FakeClient::Verb::kPatch, kOperators), writes);
  // Another process continues from the record.
  Restart();
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  ASSERT_OK(Pass("removals"));
  EXPECT_THAT(Reported(), HasSubstr("True AsExpected"));
  EXPECT_THAT(events_.told, Contains("RemovalCompleted: ConfigMap \"n/held\""));
  EXPECT_EQ(metrics_.deleted.Value(), 1);
}

// An unreadable record does not prove that no removal holds updates.
TEST_F(PayloadReconcilerTest, AnUnreadableRecordReportsNothing) {
  cluster_.client().Serve(kOperators);
  cluster_.client().Publish(kOperators.group_version(),
                            {{"ClusterOperator", "clusteroperators", false, {}}});
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  Write({{"a.yaml", TestDeletion("held")}});
  ASSERT_OK(Pass());
  EXPECT_THAT(Reported(), HasSubstr("False ResourceDeletesInProgress "));
  cluster_.Put(kTestConfigMaps,
               R"({"metadata":{"namespace":"steward-system","name":"steward-payload-record"},)"
               R"("data":{"state":"Updating","removals":"garbage"}})");
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_FALSE(Pass().ok());
    EXPECT_FALSE(Pass("removals").ok());
    EXPECT_THAT(Reported(), HasSubstr("False ResourceDeletesInProgress "));
  }
}

TEST_F(PayloadReconcilerTest, FailuresAreToldAndTriedAgain) {
  Write({{"0000_10_a_0.yaml", TestConfigMap("a", "1")},
         {"0000_20_a_0.yaml", TestConfigMap("b", "1")}});
  cluster_.client().FailNext(kube::FakeClient::Verb::kPatch, kTestConfigMaps,
                             absl::UnavailableError("away"));
  EXPECT_THAT(Pass(), StatusIs(absl::StatusCode::kUnavailable,
                               HasSubstr("1 objects of the payload failed, and 1 behind them")));
  EXPECT_EQ(metrics_.failed.Value(), 1);
  EXPECT_THAT(events_.told, ElementsAre("ObjectFailed: ConfigMap \"n/a\": away"));
  ASSERT_OK(Pass());
  EXPECT_EQ(metrics_.failed.Value(), 0);
}

TEST_F(PayloadReconcilerTest, ARefusedUpdateIsLookedAtAgain) {
  Write({{"a.yaml", TestConfigMap("a", "1")}});
  cluster_.denied = {"patch configmaps ", "patch configmaps a"};
  ASSERT_OK_AND_ASSIGN(const ReconcileResult refused, Pass());
  EXPECT_TRUE(refused.requeue_after.has_value());
  EXPECT_THAT(events_.told, ElementsAre(HasSubstr("UpdateBlocked: a right is missing: patch")));
  cluster_.denied.clear();
  ASSERT_OK(Pass());
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
}

TEST_F(PayloadReconcilerTest, AFolderIsReadOnceItDoesNotChangeAnyMore) {
  Write({{"a.yaml", TestConfigMap("a", "1")}});
  const auto look = [this] { return RunOn(io_, reconciler_->Reconcile({"", "payload"})); };
  ASSERT_OK(look());
  Write({{"b.yaml", TestConfigMap("a", "2")}});
  ASSERT_OK(look());
  EXPECT_THAT(cluster_.client().Objects(kTestConfigMaps), IsEmpty());
  ASSERT_OK(look());
  EXPECT_THAT(events_.told, ElementsAre(HasSubstr("PayloadRefused: ")));
}

TEST_F(PayloadReconcilerTest, WithoutAFolder) {
  given_.folder = folder_.path() + "/none";
  Restart();
  ASSERT_OK(Pass());
  EXPECT_EQ(metrics_.refused.Value(), 1);
  EXPECT_THAT(events_.told, ElementsAre(HasSubstr("/none is no folder that can be read")));
}

// Case 49: with an empty or missing folder, removals under way still go on after a restart.
TEST_F(PayloadReconcilerTest, R_003_56_WithoutAPayloadTheRecordIsFollowed) {
  for (const bool empty : {true, false}) {
    SCOPED_TRACE(empty ? "empty" : "missing");
    PutConfigMap("held", R"(,"finalizers":["a/b"])");
    Write({{"a.yaml", TestDeletion("held")}});
    given_.folder = folder_.path();
    Restart();
    ASSERT_OK(Pass());
    EXPECT_EQ(cluster_.Removal("held"), "Ongoing");
    std::filesystem::remove(folder_.path() + "/a.yaml");
    if (!empty) given_.folder = folder_.path() + "/none";
    Restart();
    metrics_.refused.Set(0);
    events_.told.clear();
    ASSERT_OK(Pass());
    EXPECT_EQ(metrics_.refused.Value(), 1);
    EXPECT_THAT(events_.told, Contains(HasSubstr("PayloadRefused: ")));
    EXPECT_THAT(events_.told, Contains(HasSubstr("ResourceDeletesInProgress: ")));
    cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
    ASSERT_OK(Pass("removals"));
    EXPECT_EQ(cluster_.Removal("held"), "Completed");
    cluster_.client().Delete(kTestConfigMaps, {"steward-system", "steward-payload-record"});
  }
}

// Case 49: an Event reports a dropped removal.
TEST_F(PayloadReconcilerTest, R_003_54_ADroppedRemovalIsTold) {
  PutConfigMap("a", "");
  Write({{"a.yaml", TestDeletion("a")}});
  cluster_.client().FailNext(
      kube::FakeClient::Verb::kDelete, kTestConfigMaps,
      kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "a policy says no")));
  EXPECT_FALSE(Pass().ok());
  EXPECT_EQ(cluster_.Removal("a"), "Failed");
  std::filesystem::remove(folder_.path() + "/a.yaml");
  Write({{"b.yaml", TestConfigMap("b", "1")}});
  ASSERT_OK(Pass());
  EXPECT_THAT(events_.told, Contains(HasSubstr("RemovalDropped: ConfigMap \"n/a\"")));
  EXPECT_EQ(cluster_.Removal("a"), "");
}

TEST_F(PayloadReconcilerTest, FaultsThatTheClusterShows) {
  Write({{"a.yaml", TestConfigMap("a", "1")}, {"b.yaml", TestDeletion("a")}});
  ASSERT_OK(Pass());
  EXPECT_EQ(metrics_.refused.Value(), 1);
  EXPECT_THAT(events_.told, ElementsAre(HasSubstr("is deleted here, and applied by")));
  EXPECT_THAT(cluster_.client().Objects(kTestConfigMaps), IsEmpty());
}

}  // namespace
}  // namespace steward::controllers

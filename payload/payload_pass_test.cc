#include "payload/payload_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "payload/testing/payload_cluster.h"

namespace steward::payload {
namespace {

using olm::PayloadState;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Verb = kube::FakeClient::Verb;

class PayloadPassTest : public ::testing::Test {
 protected:
  // Runs a pass as a new process would.
  PassResult Pass(const Release& release) {
    PayloadProcess process(cluster_);
    process.hook().decide = decide;
    std::optional<PassResult> result = process.Pass(release, options_);
    told_ = process.told;
    EXPECT_TRUE(result.has_value());
    return result ? *result : PassResult();
  }
  void PutConfigMap(const std::string& name, const std::string& metadata = "") {
    cluster_.Put(kTestConfigMaps,
                 StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n",)",
                        R"("name":")", name, "\"", metadata, R"(},"data":{"key":"old"}})"));
  }
  int Calls(Verb verb) { return cluster_.client().calls(verb, kTestConfigMaps); }

  PayloadCluster cluster_;
  PayloadOptions options_ = TestOptions();
  std::function<kube::HookedFate(const kube::HookedCall&)> decide;
  std::vector<std::string> told_;
};

TEST_F(PayloadPassTest, AppliesOnlyWhatDiffers) {
  PutConfigMap("there");
  const Release release =
      TestRelease("4.4.0", {{"0000_10_a_00.yaml", TestConfigMap("new", "1")},
                            {"0000_20_a_00.yaml", TestConfigMap("there", "1")}});
  const PassResult first = Pass(release);
  EXPECT_OK(first.error);
  EXPECT_TRUE(first.completed);
  EXPECT_EQ(first.state, PayloadState::kUpdating);
  EXPECT_THAT(told_, ElementsAre("created ConfigMap \"n/new\"", "updated ConfigMap \"n/there\""));
  EXPECT_EQ(cluster_.ConfigMap("there").at("data").at("key"), "1");
  const int patches = Calls(Verb::kPatch);
  const int updates = Calls(Verb::kUpdate);
  const PassResult second = Pass(release);
  EXPECT_EQ(second.state, PayloadState::kReconciling);
  EXPECT_THAT(told_,
              ElementsAre("unchanged ConfigMap \"n/new\"", "unchanged ConfigMap \"n/there\""));
  EXPECT_EQ(Calls(Verb::kPatch), patches);
  EXPECT_EQ(Calls(Verb::kUpdate), updates) << "the record";
  PutConfigMap("there");
  Pass(release);
  EXPECT_EQ(cluster_.ConfigMap("there").at("data").at("key"), "1");
}

TEST_F(PayloadPassTest, CreateOnly) {
  PutConfigMap("there");
  const std::string only = R"("release.openshift.io/create-only":"true")";
  Pass(TestRelease("4.4.0", {{"a.yaml", TestConfigMap("new", "1", only)},
                             {"b.yaml", TestConfigMap("there", "1", only)}}));
  EXPECT_THAT(told_,
              ElementsAre("created ConfigMap \"n/new\"", "left as it is ConfigMap \"n/there\""));
  EXPECT_EQ(cluster_.ConfigMap("there").at("data").at("key"), "old");
}

TEST_F(PayloadPassTest, WithoutServerSideApply) {
  decide = [](const kube::HookedCall& call) {
    const bool applies = call.gvr == kTestConfigMaps && call.write != nullptr && call.write->force;
    return applies ? kube::ToStatus(kube::UnsupportedMediaType({"application/merge-patch+json"}))
                   : absl::OkStatus();
  };
  PutConfigMap("there");
  const PassResult result = Pass(TestRelease(
      "4.4.0", {{"a.yaml", TestConfigMap("new", "1")}, {"b.yaml", TestConfigMap("there", "1")}}));
  EXPECT_TRUE(result.completed);
  EXPECT_EQ(cluster_.ConfigMap("new").at("data").at("key"), "1");
  EXPECT_EQ(cluster_.ConfigMap("there").at("data").at("key"), "1");
}

TEST_F(PayloadPassTest, R_003_03_08_17_19_RemovesAndRecords) {
  PutConfigMap("plain");
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  PutConfigMap("other");
  const std::string uid = cluster_.Uid("held");
  const Release release = TestRelease("4.5.0", {{"a.yaml", TestDeletion("plain")},
                                                {"b.yaml", TestDeletion("held")},
                                                {"c.yaml", TestDeletion("absent")}});
  const PassResult result = Pass(release);
  EXPECT_OK(result.error);
  EXPECT_TRUE(result.completed) << "what is held does not block the rest";
  EXPECT_THAT(told_,
              ElementsAre("Initiated ConfigMap \"n/plain\"", "Completed ConfigMap \"n/plain\"",
                          "removed ConfigMap \"n/plain\"", "Initiated ConfigMap \"n/held\"",
                          "Ongoing ConfigMap \"n/held\"", "being removed ConfigMap \"n/held\"",
                          "Completed ConfigMap \"n/absent\"", "removed ConfigMap \"n/absent\""));
  EXPECT_TRUE(cluster_.ConfigMap("plain").is_null());
  EXPECT_FALSE(cluster_.ConfigMap("other").is_null());
  EXPECT_EQ(cluster_.Record().Find({"", "ConfigMap", "n", "held"})->uid, uid);
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "False");
  EXPECT_THAT(cluster_.Record().Find({"", "ConfigMap", "n", "absent"})->note,
              HasSubstr("not found"));
  PayloadProcess process(cluster_);
  EXPECT_OK(process.Follow());
  EXPECT_EQ(cluster_.Removal("held"), "Ongoing");
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  EXPECT_OK(process.Follow());
  EXPECT_EQ(cluster_.Removal("held"), "Completed");
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
}

TEST_F(PayloadPassTest, TheUidIsRecordedBeforeTheDeletion) {
  PutConfigMap("plain");
  const std::string uid = cluster_.Uid("plain");
  int deletions = 0;
  decide = [&](const kube::HookedCall& call) {
    if (call.deletion != nullptr) {
      ++deletions;
      EXPECT_EQ(call.deletion->uid, uid);
      EXPECT_EQ(cluster_.Removal("plain"), "Initiated");
      EXPECT_EQ(cluster_.Record().Find({"", "ConfigMap", "n", "plain"})->uid, uid);
      EXPECT_EQ(cluster_.RecordData().at("state"), "Updating");
    }
    return kube::HookedFate();
  };
  Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("plain")}}));
  EXPECT_EQ(deletions, 1);
}

// R-003-16, 53: an object that somebody created again is a new one, so it is kept.
TEST_F(PayloadPassTest, R_003_16_53_WhatCameBackLives) {
  PutConfigMap("a");
  const Release release = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  Pass(release);
  EXPECT_EQ(cluster_.Removal("a"), "Completed");
  PutConfigMap("a");
  Pass(release);
  EXPECT_EQ(cluster_.Removal("a"), "Reappeared");
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
  // A later payload does not delete it either.
  Pass(TestRelease("4.5.1", {{"a.yaml", TestDeletion("a")}}));
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  options_.redelete = true;
  Pass(TestRelease("4.5.1", {{"a.yaml", TestDeletion("a")}}));
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null());
}

// The record of a removal stays while its delete manifest is temporarily not included.
TEST_F(PayloadPassTest, R_003_53_WhatCameBackWhileTheManifestWasLeftOut) {
  PutConfigMap("a");
  const std::string gated =
      R"("release.openshift.io/delete":"true","release.openshift.io/feature-gate":"G")";
  const Release release = TestRelease(
      "4.5.0", {{"a.yaml", TestConfigMap("a", "1", gated)}, {"b.yaml", TestConfigMap("b", "1")}});
  options_.choices.gates = {"G"};
  Pass(release);
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null());
  PutConfigMap("a");
  options_.choices.gates = {};
  EXPECT_EQ(Pass(release).state, PayloadState::kUpdating);
  options_.choices.gates = {"G"};
  EXPECT_EQ(Pass(release).state, PayloadState::kUpdating);
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  EXPECT_EQ(cluster_.Removal("a"), "Reappeared");
}

// A conflict about the same object is retried.
TEST_F(PayloadPassTest, ADeletionThatIsAnsweredByAConflict) {
  PutConfigMap("a");
  const Release release = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  cluster_.client().FailNext(Verb::kDelete, kTestConfigMaps,
                             kube::ToStatus(kube::Conflict(kTestConfigMaps, "a", "not now")));
  const PassResult first = Pass(release);
  EXPECT_THAT(first.failed, SizeIs(1));
  EXPECT_FALSE(first.completed);
  EXPECT_TRUE(Pass(release).completed);
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null());
}

// Only discovery knows the scope of a custom resource.
TEST_F(PayloadPassTest, AStrayNamespaceIsRefused) {
  const kube::GroupVersionResource gvr = {"a.b", "v1", "things"};
  cluster_.client().Serve(gvr);
  cluster_.client().Publish(gvr.group_version(), {{"Thing", "things", false, {}}});
  cluster_.Put(gvr, R"({"metadata":{"name":"x"}})");
  const std::string thing =
      R"({"apiVersion":"a.b/v1","kind":"Thing","metadata":{"name":"x","namespace":"n",)"
      R"("annotations":{"release.openshift.io/delete":"true"}}})";
  const PassResult result = Pass(TestRelease(
      "4.5.0", {{"0000_10_a_0.yaml", TestConfigMap("a", "1")}, {"0000_20_a_0.yaml", thing}}));
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].what, HasSubstr("in no namespace"));
  EXPECT_FALSE(cluster_.Find(gvr, {"", "x"}).is_null());
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null()) << "named before the first write";
}

TEST_F(PayloadPassTest, R_003_54_OnlyAnUpdateDeletes) {
  const Release before = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  PutConfigMap("a");
  options_.initial = true;
  const PassResult installed = Pass(before);
  EXPECT_EQ(installed.state, PayloadState::kInitializing);
  EXPECT_TRUE(installed.completed);
  EXPECT_THAT(told_, ElementsAre("kept ConfigMap \"n/a\""));
  options_.initial = false;
  EXPECT_EQ(Pass(before).state, PayloadState::kReconciling);
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  EXPECT_EQ(cluster_.Removal("a"), "");
  // A payload of the same version with other contents is an update.
  EXPECT_EQ(Pass(TestRelease("4.5.0", {{"b.yaml", TestDeletion("a")}})).state,
            PayloadState::kUpdating);
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null());
}

TEST_F(PayloadPassTest, R_003_54_AnUpdateLastsUntilItIsCompleted) {
  PutConfigMap("a");
  const Release release = TestRelease("4.5.0", {{"0000_10_x_0.yaml", TestDeletion("a")},
                                                {"0000_20_x_0.yaml", TestConfigMap("b", "1")}});
  cluster_.client().FailNext(Verb::kDelete, kTestConfigMaps, absl::UnavailableError("away"));
  const PassResult first = Pass(release);
  EXPECT_FALSE(first.completed);
  EXPECT_THAT(first.failed, SizeIs(1));
  EXPECT_EQ(first.not_begun, 1);
  EXPECT_EQ(cluster_.Removal("a"), "Initiated");
  EXPECT_FALSE(cluster_.RecordData().contains("completed"));
  const PassResult second = Pass(release);
  EXPECT_EQ(second.state, PayloadState::kUpdating);
  EXPECT_TRUE(second.completed);
  EXPECT_EQ(cluster_.Removal("a"), "Completed");
}

TEST_F(PayloadPassTest, ARefusedDeletionIsRecordedAndTriedAgain) {
  PutConfigMap("a");
  const Release release = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  cluster_.client().FailNext(
      Verb::kDelete, kTestConfigMaps,
      kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "a policy says no")));
  EXPECT_THAT(Pass(release).failed, SizeIs(1));
  EXPECT_EQ(cluster_.Removal("a"), "Failed");
  EXPECT_THAT(std::string(cluster_.RecordData().at("message").as_string()),
              HasSubstr("a policy says no"));
  EXPECT_TRUE(Pass(release).completed);
  EXPECT_EQ(cluster_.Removal("a"), "Completed");
}

TEST_F(PayloadPassTest, R_003_22_WaitsForTheEndWhereAsked) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  options_.wait_for_deletions = absl::Seconds(30);
  const Release release = TestRelease("4.5.0", {{"0000_10_x_0.yaml", TestDeletion("held")},
                                                {"0000_20_x_0.yaml", TestConfigMap("b", "1")}});
  const PassResult result = Pass(release);
  EXPECT_THAT(result.failed, SizeIs(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(result.failed[0].error));
  EXPECT_TRUE(cluster_.ConfigMap("b").is_null());
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  EXPECT_TRUE(Pass(release).completed);
}

TEST_F(PayloadPassTest, AKindThatIsGoneCountsAsRemoved) {
  const std::string relic =
      R"({"apiVersion":"gone.example.com/v1","kind":"Relic","metadata":{"name":"r","annotations":)"
      R"({"release.openshift.io/delete":"true"}}})";
  const Release release = TestRelease("4.5.0", {{"a.yaml", relic}});
  const kube::GroupVersionResource groups;
  cluster_.client().FailNext(Verb::kDiscover, groups, absl::UnavailableError("away"));
  EXPECT_THAT(Pass(release).failed, SizeIs(1)) << "an outage is no absence";
  EXPECT_TRUE(Pass(release).completed);
  EXPECT_THAT(told_, ElementsAre("Completed Relic.gone.example.com \"r\"",
                                 "removed Relic.gone.example.com \"r\""));
}

// An object still exists although its old manifest names a version that is no longer served.
TEST_F(PayloadPassTest, AnotherVersionOfTheKind) {
  cluster_.Put(kTestWidgets, R"({"metadata":{"namespace":"n","name":"w"}})");
  const std::string widget =
      R"({"apiVersion":"example.com/v1beta1","kind":"Widget","metadata":{"namespace":"n",)"
      R"("name":"w","annotations":{"release.openshift.io/delete":"true"}}})";
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", widget}})).completed);
  EXPECT_TRUE(cluster_.Find(kTestWidgets, {"n", "w"}).is_null());
}

TEST_F(PayloadPassTest, R_000_77_AnOptedInOperatorIsNotDeleted) {
  cluster_.Put(kTestCsvs, R"({"metadata":{"namespace":"n","name":"o","finalizers":)"
                          R"(["operatorframework.io/delete-custom-resources"]}})");
  const std::string csv =
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":)"
      R"({"namespace":"n","name":"o","annotations":{"release.openshift.io/delete":"true"}}})";
  const PassResult result = Pass(TestRelease("4.5.0", {{"a.yaml", csv}}));
  EXPECT_THAT(result.failed, SizeIs(1));
  EXPECT_EQ(cluster_.client().calls(Verb::kDelete, kTestCsvs), 0);
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "False");
}

TEST_F(PayloadPassTest, R_003_11_FailuresStopWhatDependsOnThem) {
  cluster_.client().FailNext(Verb::kGet, kTestConfigMaps, absl::OkStatus(), 1);  // the record
  decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == kube::ClientVerb::kPatch && call.name.name == "bad")
      fate.error = absl::InternalError("no");
    return fate;
  };
  const PassResult result =
      Pass(TestRelease("4.5.0", {{"0000_10_a_0.yaml", TestConfigMap("bad", "1")},
                                 {"0000_10_a_1.yaml", TestConfigMap("behind", "1")},
                                 {"0000_10_b_0.yaml", TestConfigMap("beside", "1")},
                                 {"0000_20_a_0.yaml", TestConfigMap("after", "1")}}));
  EXPECT_THAT(told_,
              UnorderedElementsAre("failed ConfigMap \"n/bad\"", "created ConfigMap \"n/beside\""));
  EXPECT_EQ(result.not_begun, 2);
  EXPECT_FALSE(result.completed);
}

// An object waits for a definition that another component of its level creates.
TEST_F(PayloadPassTest, ADefinitionThatIsMadeBeside) {
  const std::string definition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
      R"({"name":"relics.a.b"},"spec":{"group":"a.b","scope":"Cluster","names":{"kind":"Relic",)"
      R"("plural":"relics"},"versions":[{"name":"v1","served":true}]}})";
  const std::string relic = R"({"apiVersion":"a.b/v1","kind":"Relic","metadata":{"name":"r"}})";
  const Release release =
      TestRelease("4.5.0", {{"0000_10_a_0.yaml", relic}, {"0000_10_b_0.yaml", definition}});
  decide = [this](const kube::HookedCall& call) {
    if (call.gvr == kTestDefinitions && call.verb == kube::ClientVerb::kGet &&
        call.name.name == "relics.a.b") {
      boost::json::value live = cluster_.Find(kTestDefinitions, {"", "relics.a.b"});
      if (live.is_object() && !live.as_object().contains("status")) {
        live.as_object()["status"] =
            boost::json::parse(R"({"conditions":[{"type":"Established","status":"True"},)"
                               R"({"type":"NamesAccepted","status":"True"}]})");
        cluster_.Put(kTestDefinitions, Serialize(live));
        const kube::GroupVersionResource gvr = {"a.b", "v1", "relics"};
        cluster_.client().Serve(gvr);
        cluster_.client().Publish(gvr.group_version(), {{"Relic", "relics", false, {}}});
      }
    }
    return kube::HookedFate();
  };
  const PassResult result = Pass(release);
  EXPECT_TRUE(result.completed);
  EXPECT_THAT(told_, ::testing::IsSupersetOf(
                         {"created Relic.a.b \"r\"",
                          "created CustomResourceDefinition.apiextensions.k8s.io \"relics.a.b\""}));
}

TEST_F(PayloadPassTest, AJobIsABarrier) {
  const std::string job =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"n","name":"j"}})";
  const Release release = TestRelease(
      "4.5.0", {{"0000_10_a_0.yaml", job}, {"0000_10_a_1.yaml", TestConfigMap("b", "1")}});
  const PassResult first = Pass(release);
  ASSERT_THAT(first.failed, SizeIs(1));
  EXPECT_THAT(first.failed[0].error, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(cluster_.ConfigMap("b").is_null());
  boost::json::value live = cluster_.Find(kTestJobs, {"n", "j"});
  const auto ends = [&](const char* type) {
    live.as_object()["status"] = boost::json::parse(
        StrCat(R"({"conditions":[{"type":")", type, R"(","status":"True","message":"m"}]})"));
    cluster_.Put(kTestJobs, Serialize(live));
  };
  ends("Failed");
  EXPECT_THAT(Pass(release).failed[0].error, StatusIs(absl::StatusCode::kFailedPrecondition));
  ends("Complete");
  EXPECT_TRUE(Pass(release).completed);
  EXPECT_FALSE(cluster_.ConfigMap("b").is_null());
}

TEST_F(PayloadPassTest, R_003_20_48_MinorUpdatesWait) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("held")}})).completed);
  const Release patch = TestRelease("4.5.1", {{"a.yaml", TestDeletion("held")}});
  const Release minor = TestRelease("4.6.0", {{"b.yaml", TestConfigMap("b", "1")}});
  const PassResult refused = Pass(minor);
  EXPECT_THAT(refused.refused, ElementsAre(HasSubstr("ConfigMap \"n/held\"")));
  EXPECT_TRUE(cluster_.ConfigMap("b").is_null());
  EXPECT_EQ(cluster_.Record().version, "4.5.0");
  EXPECT_TRUE(Pass(patch).completed);
  EXPECT_EQ(cluster_.Record().version, "4.5.1");
  EXPECT_EQ(cluster_.Removal("held"), "Ongoing");
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  PayloadProcess process(cluster_);
  EXPECT_OK(process.Follow());
  // A 4.6 payload must not delete what a 4.5 payload already removed.
  const Release stale = TestRelease("4.6.0", {{"a.yaml", TestDeletion("held")}});
  EXPECT_THAT(Pass(stale).refused, ElementsAre(HasSubstr("no longer exists, as 4.5.")));
  options_.allow_stale_deletes = true;
  EXPECT_TRUE(Pass(stale).completed);
  EXPECT_EQ(cluster_.Record().version, "4.6.0");
}

TEST_F(PayloadPassTest, ForceGoesBeyondPreconditions) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("held")}}));
  options_.force = true;
  const PassResult result = Pass(TestRelease("4.6.0", {{"b.yaml", TestConfigMap("b", "1")}}));
  EXPECT_TRUE(result.completed);
  EXPECT_THAT(result.warnings, SizeIs(1));
  EXPECT_EQ(cluster_.Removal("held"), "Ongoing") << "it still holds the next one back";
}

TEST_F(PayloadPassTest, MissingRightsAreNamedBeforeTheFirstWrite) {
  PutConfigMap("a");
  cluster_.denied = {"delete configmaps ", "delete configmaps a", "patch configmaps ",
                     "patch configmaps b"};
  const PassResult result = Pass(
      TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}, {"b.yaml", TestConfigMap("b", "1")}}));
  EXPECT_THAT(result.refused,
              ElementsAre("a right is missing: delete configmaps \"a\" in namespace \"n\"",
                          "a right is missing: patch configmaps \"b\" in namespace \"n\""));
  EXPECT_THAT(cluster_.RecordData(), IsEmpty());
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  // A right to the single object is enough.
  cluster_.denied = {"delete configmaps ", "patch configmaps "};
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")},
                                         {"b.yaml", TestConfigMap("b", "1")}}))
                  .completed);
}

// Case 46: manifests may contradict each other only if one cluster never includes both.
TEST_F(PayloadPassTest, R_003_34_ContradictionsOfOneCluster) {
  const std::string on = R"("release.openshift.io/feature-gate":"G")";
  const std::string off = R"("release.openshift.io/feature-gate":"-G")";
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1", on)},
                                         {"b.yaml", TestConfigMap("a", "2", off)}}))
                  .completed);
  EXPECT_EQ(cluster_.ConfigMap("a").at("data").at("key"), "2");
  const PassResult result = Pass(TestRelease(
      "4.5.1", {{"a.yaml", TestConfigMap("a", "3", off)}, {"b.yaml", TestDeletion("a")}}));
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].what, "ConfigMap \"n/a\" is deleted here, and applied by a.yaml:1");
  EXPECT_EQ(cluster_.ConfigMap("a").at("data").at("key"), "2");
  EXPECT_EQ(cluster_.Record().version, "4.5.0");
}

// Case 49: the state of a removal is read from the cluster, not only from the record.
TEST_F(PayloadPassTest, R_003_54_ARemovalEndsAlthoughItsManifestIsGone) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  const Release plain = TestRelease("4.5.1", {{"b.yaml", TestConfigMap("b", "1")}});
  Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("held")}}));
  EXPECT_TRUE(Pass(plain).completed);
  EXPECT_EQ(cluster_.Removal("held"), "Ongoing") << "one that is under way holds";
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  // The update begins although no process has followed the removal meanwhile.
  PayloadCluster& cluster = cluster_;
  EXPECT_TRUE(Pass(TestRelease("4.6.0", {{"b.yaml", TestConfigMap("b", "2")}})).completed);
  EXPECT_EQ(cluster.RecordData().at("upgradeable"), "True");
}

TEST_F(PayloadPassTest, R_003_54_TheSamePayloadAgainFollowsWhatItDoesNotAskFor) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  const Release plain = TestRelease("4.5.1", {{"b.yaml", TestConfigMap("b", "1")}});
  Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("held")}}));
  EXPECT_TRUE(Pass(plain).completed);
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  EXPECT_EQ(Pass(plain).state, PayloadState::kReconciling);
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
}

// Case 49: a removal is dropped if the server never accepted it and no manifest asks for it.
TEST_F(PayloadPassTest, R_003_54_ARemovalThatNothingAsksForIsDropped) {
  PutConfigMap("a");
  decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.deletion != nullptr) {
      fate.error = kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "a policy says no"));
    }
    return fate;
  };
  const Release asks = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  EXPECT_FALSE(Pass(asks).completed);
  EXPECT_EQ(cluster_.Removal("a"), "Failed");
  const Release drops = TestRelease("4.5.1", {{"0000_10_x_0.yaml", TestConfigMap("bad", "1")}});
  decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == kube::ClientVerb::kPatch) fate.error = absl::UnavailableError("away");
    return fate;
  };
  EXPECT_FALSE(Pass(drops).completed);
  EXPECT_EQ(cluster_.Removal("a"), "Failed") << "not before the payload is complete";
  decide = nullptr;
  EXPECT_TRUE(Pass(drops).completed);
  EXPECT_THAT(told_, ElementsAre("created ConfigMap \"n/bad\"", "dropped ConfigMap \"n/a\""));
  EXPECT_EQ(cluster_.Removal("a"), "");
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
}

// After the change no object can exist under the recorded name.
TEST_F(PayloadPassTest, AKindWhoseScopeHasChanged) {
  cluster_.Put(kTestWidgets, R"({"metadata":{"namespace":"n","name":"w","finalizers":["a/b"]}})");
  const std::string widget =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"n","name":"w",)"
      R"("annotations":{"release.openshift.io/delete":"true"}}})";
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", widget}})).completed);
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "False");
  cluster_.client().Delete(kTestWidgets, {"n", "w"});
  cluster_.client().Publish(kTestWidgets.group_version(), {{"Widget", "widgets", false, {}}});
  EXPECT_TRUE(Pass(TestRelease("4.6.0", {{"b.yaml", TestConfigMap("b", "1")}})).completed);
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
}

// The kind and its objects disappear during the pass.
TEST_F(PayloadPassTest, ADefinitionThatIsDeletedBeforeItsObject) {
  const std::string deletes = R"("annotations":{"release.openshift.io/delete":"true"}}})";
  cluster_.Put(kTestDefinitions, R"({"metadata":{"name":"widgets.example.com"}})");
  cluster_.Put(kTestWidgets, R"({"metadata":{"namespace":"n","name":"w"}})");
  bool gone = false;
  decide = [&](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.deletion != nullptr && call.gvr == kTestDefinitions) {
      gone = true;
      cluster_.client().Publish(kTestWidgets.group_version(), {});
    } else if (gone && call.gvr == kTestWidgets) {
      fate.error = kube::ToStatus(kube::NotFoundPath());
    }
    return fate;
  };
  const PassResult result = Pass(TestRelease(
      "4.5.0",
      {{"0000_10_a_0.yaml",
        StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
               R"("metadata":{"name":"widgets.example.com",)", deletes)},
       {"0000_20_a_0.yaml",
        StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"n",)",
               R"("name":"w",)", deletes)}}));
  EXPECT_TRUE(gone);
  EXPECT_TRUE(result.completed) << (result.failed.empty() ? "" : result.failed[0].error.message());
}

// A delayed process does not delete an object that another process has applied meanwhile.
TEST_F(PayloadPassTest, R_003_56_WhoeverWasOvertakenDeletesNothing) {
  PutConfigMap("a");
  const Release asks = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  cluster_.client().FailNext(Verb::kDelete, kTestConfigMaps, absl::UnavailableError("away"));
  EXPECT_FALSE(Pass(asks).completed);
  EXPECT_EQ(cluster_.Removal("a"), "Initiated");
  const int deletions = cluster_.client().calls(Verb::kDelete, kTestConfigMaps);
  const Release applies = TestRelease("4.5.1", {{"a.yaml", TestConfigMap("a", "1")}});
  bool overtaken = false;
  decide = [&](const kube::HookedCall& call) {
    // At this point the old process has read its record and reads the object.
    if (call.verb == kube::ClientVerb::kGet && call.name.name == "a" &&
        !std::exchange(overtaken, true)) {
      PayloadProcess other(cluster_);
      EXPECT_TRUE(other.Pass(applies, options_)->completed);
    }
    return kube::HookedFate();
  };
  const PassResult late = Pass(asks);
  EXPECT_THAT(late.failed, SizeIs(1));
  EXPECT_EQ(cluster_.client().calls(Verb::kDelete, kTestConfigMaps), deletions);
  EXPECT_EQ(cluster_.ConfigMap("a").at("data").at("key"), "1");
}

// A delayed process does not apply an object of its outdated payload either.
TEST_F(PayloadPassTest, R_003_56_WhoeverWasOvertakenAppliesNothing) {
  const std::string job =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"n","name":"j"}})";
  const Release old =
      TestRelease("4.5.0", {{"a.yaml", job}, {"b.yaml", TestConfigMap("b", "old")}});
  bool overtaken = false;
  decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kGet && call.name.name == "j" &&
        !cluster_.Find(kTestJobs, {"n", "j"}).is_null() && !std::exchange(overtaken, true)) {
      cluster_.clock().Advance(absl::Minutes(1));
      PayloadProcess other(cluster_);
      EXPECT_TRUE(
          other.Pass(TestRelease("4.5.1", {{"b.yaml", TestConfigMap("b", "new")}}), options_)
              ->completed);
      boost::json::value live = cluster_.Find(kTestJobs, {"n", "j"});
      live.as_object()["status"] =
          boost::json::parse(R"({"conditions":[{"type":"Complete","status":"True"}]})");
      cluster_.Put(kTestJobs, Serialize(live));
    }
    return kube::HookedFate();
  };
  EXPECT_THAT(Pass(old).failed, SizeIs(1));
  EXPECT_EQ(cluster_.ConfigMap("b").at("data").at("key"), "new");
  EXPECT_EQ(cluster_.Record().version, "4.5.1");
}

// A removal under way still holds updates although a later payload applies the object.
TEST_F(PayloadPassTest, R_003_54_OneUnderWayHoldsAlthoughTheObjectIsApplied) {
  PutConfigMap("held", R"(,"finalizers":["a/b"])");
  Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("held")}}));
  const Release applies = TestRelease("4.5.1", {{"a.yaml", TestConfigMap("held", "1")}});
  EXPECT_FALSE(Pass(applies).completed);
  EXPECT_EQ(cluster_.Removal("held"), "Ongoing");
  EXPECT_THAT(Pass(TestRelease("4.6.0", {{"b.yaml", TestConfigMap("b", "1")}})).refused, SizeIs(1));
  cluster_.client().Delete(kTestConfigMaps, {"n", "held"});
  EXPECT_TRUE(Pass(applies).completed);
  EXPECT_EQ(cluster_.Removal("held"), "");
}

// A reappeared object is kept even if a payload in between began without naming it.
TEST_F(PayloadPassTest, R_003_53_WhatCameBackIsKeptAfterAPayloadThatOnlyBegan) {
  PutConfigMap("a");
  const Release asks = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  Pass(asks);
  PutConfigMap("a");
  decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == kube::ClientVerb::kPatch) fate.error = absl::UnavailableError("away");
    return fate;
  };
  EXPECT_FALSE(Pass(TestRelease("4.5.1", {{"b.yaml", TestConfigMap("b", "1")}})).completed);
  decide = nullptr;
  EXPECT_TRUE(Pass(asks).completed);
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  EXPECT_EQ(cluster_.Removal("a"), "Reappeared");
}

// A refused repeated deletion holds no update back once no payload repeats it.
TEST_F(PayloadPassTest, R_003_53_ARefusedRedeletionIsKept) {
  PutConfigMap("a");
  const Release asks = TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")}});
  Pass(asks);
  PutConfigMap("a");
  options_.redelete = true;
  decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.deletion != nullptr) {
      fate.error = kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "a policy says no"));
    }
    return fate;
  };
  EXPECT_THAT(Pass(asks).failed, SizeIs(1));
  EXPECT_EQ(cluster_.Removal("a"), "Failed");
  decide = nullptr;
  options_.redelete = false;
  Pass(asks);
  EXPECT_THAT(told_, ::testing::Contains("kept ConfigMap \"n/a\""));
  EXPECT_EQ(cluster_.Removal("a"), "Reappeared");
  EXPECT_EQ(cluster_.RecordData().at("upgradeable"), "True");
  EXPECT_TRUE(Pass(TestRelease("4.5.1", {{"a.yaml", TestDeletion("a")}})).completed);
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
}

// Case 48: deleting OLM's definitions would delete every operator.
TEST_F(PayloadPassTest, DefinitionsOfOlmStayWhileThereAreOperators) {
  const std::string name = "clusterserviceversions.operators.coreos.com";
  cluster_.Put(kTestDefinitions, StrCat(R"({"metadata":{"name":")", name, R"("}})"));
  cluster_.Put(kTestCsvs, R"({"metadata":{"namespace":"n","name":"o"}})");
  const Release release = TestRelease(
      "4.5.0", {{"a.yaml", StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)",
                                  R"("CustomResourceDefinition","metadata":{"name":")", name,
                                  R"(","annotations":{"release.openshift.io/delete":"true"}}})")}});
  const PassResult refused = Pass(release);
  ASSERT_THAT(refused.faults, SizeIs(1));
  EXPECT_THAT(refused.faults[0].what, HasSubstr("--allow-olm-deletes"));
  EXPECT_THAT(cluster_.RecordData(), IsEmpty());
  // The pass notices an operator that appears before the deletion.
  cluster_.client().Delete(kTestCsvs, {"n", "o"});
  int lists = 0;
  decide = [&](const kube::HookedCall& call) {
    if (call.gvr == kTestCsvs && ++lists == 2) {
      cluster_.Put(kTestCsvs, R"({"metadata":{"namespace":"n","name":"o"}})");
    }
    return kube::HookedFate();
  };
  EXPECT_THAT(Pass(release).failed, SizeIs(1));
  EXPECT_EQ(cluster_.client().calls(Verb::kDelete, kTestDefinitions), 0);
  decide = nullptr;
  options_.allow_olm_deletes = true;
  EXPECT_TRUE(Pass(release).completed);
  EXPECT_TRUE(cluster_.Find(kTestDefinitions, {"", name}).is_null());
}

TEST_F(PayloadPassTest, WhatIsAppliedHasToBecomeHealthy) {
  const std::string job =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"n","name":"j"}})";
  const Release release = TestRelease("4.5.0", {{"a.yaml", job}});
  EXPECT_THAT(Pass(release).failed, SizeIs(1));
  EXPECT_THAT(told_, ElementsAre("waits Job.batch \"n/j\": the Job is not complete yet",
                                 "failed Job.batch \"n/j\""));
  options_.wait_for_health = absl::ZeroDuration();
  EXPECT_TRUE(Pass(release).completed);
}

// A user cannot grant rights that he lacks. This is found before the first write.
TEST_F(PayloadPassTest, RightsThatRolesAndBindingsGive) {
  const std::string head = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":)";
  const kube::GroupVersionResource roles = {"rbac.authorization.k8s.io", "v1", "clusterroles"};
  const kube::GroupVersionResource bindings = {"rbac.authorization.k8s.io", "v1", "rolebindings"};
  for (const auto& gvr : {roles, bindings}) cluster_.client().Serve(gvr);
  cluster_.client().Publish(roles.group_version(), {{"ClusterRole", "clusterroles", false, {}},
                                                    {"RoleBinding", "rolebindings", true, {}}});
  cluster_.Put(roles, R"({"metadata":{"name":"live"},"rules":[{"apiGroups":[""],"verbs":["list"],)"
                      R"("resources":["secrets"]}]})");
  const auto binding = [&](const std::string& name, const std::string& role) {
    return TestFile{StrCat(name, ".yaml"),
                    StrCat(head, R"("RoleBinding","metadata":{"namespace":"n","name":")", name,
                           R"("},"roleRef":{"kind":"ClusterRole","name":")", role, R"("}})")};
  };
  const Release release = TestRelease(
      "4.5.0", {{"a.yaml", StrCat(head, R"("ClusterRole","metadata":{"name":"own"},"rules":[)",
                                  R"({"apiGroups":[""],"resources":["pods/log"],"verbs":["get"]},)",
                                  R"({"nonResourceURLs":["/metrics"],"verbs":["get"]}]})")},
                binding("b", "own"),
                binding("c", "live"),
                binding("d", "absent")});
  cluster_.denied = {"escalate clusterroles ", "escalate clusterroles own",
                     "bind clusterroles ",     "bind clusterroles own",
                     "bind clusterroles live", "bind clusterroles absent"};
  EXPECT_THAT(Pass(release).refused,
              ElementsAre(AllOf(HasSubstr("bind clusterroles.rbac.authorization.k8s.io \"absent\""),
                                HasSubstr("cannot be read"))))
      << "whoever has all that a role gives may give it";
  cluster_.denied.push_back("get pods ");
  cluster_.denied.push_back("list secrets ");
  EXPECT_THAT(
      Pass(release).refused,
      ElementsAre(HasSubstr("bind clusterroles.rbac.authorization.k8s.io \"absent\""),
                  HasSubstr("\"live\" in namespace \"n\", or list secrets in namespace \"n\""),
                  HasSubstr("bind clusterroles.rbac.authorization.k8s.io \"own\""),
                  AllOf(HasSubstr("escalate clusterroles.rbac.authorization.k8s.io \"own\", or "),
                        HasSubstr("pods/log"))));
  cluster_.denied.clear();
  EXPECT_TRUE(Pass(release).completed);
}

TEST_F(PayloadPassTest, Faults) {
  const auto what = [this](const Release& release) {
    std::vector<std::string> texts;
    for (const olm::PayloadFault& each : FaultsOf(release, options_)) texts.push_back(each.what);
    return texts;
  };
  EXPECT_THAT(what(TestRelease("4.5.0", {{"a.yaml", TestConfigMap("a", "1")}})), IsEmpty());
  EXPECT_THAT(what(TestRelease("", {{"a.yaml", TestConfigMap("a", "1")}})),
              ElementsAre(HasSubstr("--payload-version")));
  EXPECT_THAT(what(TestRelease("four", {{"a.yaml", TestConfigMap("a", "1")}})),
              ElementsAre("four is no version of a release"));
  const std::string ns =
      R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","annotations":)"
      R"({"release.openshift.io/delete":"true"}}})";
  EXPECT_THAT(what(TestRelease("4.5.0", {{"a.yaml", ns}})), ElementsAre(HasSubstr("kube-system")));
}

}  // namespace
}  // namespace steward::payload

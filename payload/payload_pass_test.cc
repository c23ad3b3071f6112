#include "payload/payload_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hooked_client.h"
#include "payload/testing/payload_cluster.h"

namespace steward::payload {
namespace {

using olm::PayloadState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Verb = kube::FakeClient::Verb;

class PayloadPassTest : public ::testing::Test {
 protected:
  // A pass of a fresh process.
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
  cluster_.client().RefuseApply(kTestConfigMaps);
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

// R-003-16, 53: whoever made it again meant another object.
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
  // Nor by a later payload.
  Pass(TestRelease("4.5.1", {{"a.yaml", TestDeletion("a")}}));
  EXPECT_FALSE(cluster_.ConfigMap("a").is_null());
  options_.redelete = true;
  Pass(TestRelease("4.5.1", {{"a.yaml", TestDeletion("a")}}));
  EXPECT_TRUE(cluster_.ConfigMap("a").is_null());
}

// A manifest that the cluster leaves out for a while still says that the object was removed once.
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

// A conflict that is no other object is tried again.
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

// A custom resource's scope is known by discovery alone.
TEST_F(PayloadPassTest, AStrayNamespaceIsRefused) {
  const kube::GroupVersionResource gvr = {"a.b", "v1", "things"};
  cluster_.client().Serve(gvr);
  cluster_.client().Publish(gvr.group_version(), {{"Thing", "things", false, {}}});
  cluster_.Put(gvr, R"({"metadata":{"name":"steward-x"}})");
  const std::string thing =
      R"({"apiVersion":"a.b/v1","kind":"Thing","metadata":{"name":"steward-x","namespace":"n",)"
      R"("annotations":{"release.openshift.io/delete":"true"}}})";
  const PassResult result = Pass(TestRelease("4.5.0", {{"a.yaml", thing}}));
  ASSERT_THAT(result.failed, SizeIs(1));
  EXPECT_THAT(std::string(result.failed[0].error.message()), HasSubstr("in no namespace"));
  EXPECT_FALSE(cluster_.Find(gvr, {"", "steward-x"}).is_null());
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
  // A change of the contents is an update.
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

// An old manifest names a version that is not served any more; its object is there all the same.
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
    if (call.verb == "patch" && call.name.name == "bad") fate.error = absl::InternalError("no");
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
  // What 4.5 has removed, 4.6 must not delete any more.
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
  // A right to the one object is enough.
  cluster_.denied = {"delete configmaps ", "patch configmaps "};
  EXPECT_TRUE(Pass(TestRelease("4.5.0", {{"a.yaml", TestDeletion("a")},
                                         {"b.yaml", TestConfigMap("b", "1")}}))
                  .completed);
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

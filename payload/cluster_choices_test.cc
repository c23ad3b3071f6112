#include "payload/cluster_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "olm/payload/inclusion.h"

namespace steward::payload {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const kube::GroupVersionResource kVersions = {"config.openshift.io", "v1", "clusterversions"};
const kube::GroupVersionResource kGates = {"config.openshift.io", "v1", "featuregates"};
const kube::GroupVersionResource kOperators = {"config.openshift.io", "v1", "clusteroperators"};

class ClusterChoicesTest : public ::testing::Test {
 protected:
  void Serve() {
    for (const auto& gvr : {kVersions, kGates, kOperators}) cluster_.Serve(gvr);
    cluster_.Publish(kVersions.group_version(),
                     {{"ClusterVersion", "clusterversions", false, {}},
                      {"FeatureGate", "featuregates", false, {}},
                      {"ClusterOperator", "clusteroperators", false, {}}});
  }
  absl::StatusOr<olm::ClusterChoices> Read() {
    return RunOn(io_, ReadClusterChoices(cluster_, mapper_, given_, "4.5.1"));
  }
  absl::StatusOr<std::vector<std::string>> NotUpgradeable() {
    return RunOn(io_, ReadNotUpgradeable(cluster_, mapper_));
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  kube::RestMapper mapper_{cluster_, clock_};
  olm::ClusterChoices given_ = {.profile = "p",
                                .feature_set = "Given",
                                .gates = {"G"},
                                .capabilities = olm::Capabilities{{"C"}, {"C"}}};
};

TEST_F(ClusterChoicesTest, WhatIsGivenCountsWhereTheClusterSaysNothing) {
  for (const bool served : {false, true}) {
    if (served) Serve();
    ASSERT_OK_AND_ASSIGN(const olm::ClusterChoices choices, Read());
    EXPECT_EQ(choices.profile, "p");
    EXPECT_EQ(choices.feature_set, "Given");
    EXPECT_THAT(choices.gates, ElementsAre("G"));
    EXPECT_THAT(choices.capabilities->enabled, ElementsAre("C"));
    EXPECT_THAT(choices.unmanaged, IsEmpty());
    EXPECT_THAT(NotUpgradeable(), IsOkAndHolds(IsEmpty()));
  }
}

TEST_F(ClusterChoicesTest, WhatTheClusterSaysWins) {
  Serve();
  cluster_.Put(
      kVersions,
      R"({"metadata":{"name":"version"},"spec":{"overrides":[)"
      R"({"group":"apps","kind":"Deployment","namespace":"n","name":"a","unmanaged":true},)"
      R"({"kind":"ConfigMap","namespace":"n","name":"b","unmanaged":false},7]},)"
      R"("status":{"capabilities":{"knownCapabilities":["A","B"],)"
      R"("enabledCapabilities":["A"]}}})");
  cluster_.Put(kGates,
               R"({"metadata":{"name":"cluster"},"spec":{"featureSet":"TechPreview"},"status":)"
               R"({"featureGates":[{"version":"4.5.0","enabled":[{"name":"Old"}]},)"
               R"({"version":"4.5.1","enabled":[{"name":"New"}]}]}})");
  ASSERT_OK_AND_ASSIGN(const olm::ClusterChoices choices, Read());
  EXPECT_EQ(choices.feature_set, "TechPreview");
  EXPECT_THAT(choices.gates, ElementsAre("New"));
  EXPECT_THAT(choices.capabilities->known, ElementsAre("A", "B"));
  EXPECT_THAT(choices.capabilities->enabled, ElementsAre("A"));
  EXPECT_THAT(choices.unmanaged, ElementsAre(olm::PayloadIdentity{"apps", "Deployment", "n", "a"}));
}

// The operator that reports the gates of a new release may be part of that release.
TEST_F(ClusterChoicesTest, GatesOfANewReleaseAreNotKnownYet) {
  Serve();
  cluster_.Put(kGates, R"({"metadata":{"name":"cluster"},"spec":{},"status":{"featureGates":[)"
                       R"({"version":"4.5.0","enabled":[{"name":"Old"}]}]}})");
  ASSERT_OK_AND_ASSIGN(const olm::ClusterChoices choices, Read());
  EXPECT_THAT(choices.gates, ElementsAre("Old"));
  EXPECT_FALSE(choices.gates_known);
}

TEST_F(ClusterChoicesTest, R_003_37_OperatorsThatAreNotUpgradeable) {
  Serve();
  const auto put = [this](const std::string& name, const std::string& conditions) {
    cluster_.Put(kOperators, R"({"metadata":{"name":")" + name + R"("},"status":{"conditions":[)" +
                                 conditions + "]}}");
  };
  put("fine", R"({"type":"Upgradeable","status":"True"})");
  put("silent", R"({"type":"Available","status":"False"})");
  put("old",
      R"({"type":"Upgradeable","status":"False","reason":"Deprecated","message":"see the notes"})");
  // Steward's own ClusterOperator only repeats the record, so it is left out.
  put("steward-payload", R"({"type":"Upgradeable","status":"False","reason":"R","message":"m"})");
  EXPECT_THAT(NotUpgradeable(),
              IsOkAndHolds(ElementsAre("ClusterOperator old: Deprecated: see the notes")));
}

TEST_F(ClusterChoicesTest, AnOutageIsAnError) {
  Serve();
  cluster_.FailNext(kube::FakeClient::Verb::kGet, kVersions, absl::UnavailableError("away"));
  EXPECT_FALSE(Read().ok());
  cluster_.FailNext(kube::FakeClient::Verb::kList, kOperators, absl::UnavailableError("away"));
  EXPECT_FALSE(NotUpgradeable().ok());
}

}  // namespace
}  // namespace steward::payload

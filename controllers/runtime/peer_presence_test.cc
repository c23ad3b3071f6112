#include "controllers/runtime/peer_presence.h"

#include <boost/asio/io_context.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::set<PeerOperator> kBoth = {PeerOperator::kOlmOperator, PeerOperator::kCatalogOperator};

class PeerPresenceTest : public ::testing::Test {
 protected:
  PeerPresenceTest() { cluster_.Serve(kube::kDeployments); }

  void Put(const std::string& ns, const std::string& name, const std::string& labels,
           const std::string& status) {
    cluster_.Put(kube::kDeployments, R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name +
                                         R"(","labels":)" + labels + R"(},"status":)" + status +
                                         "}");
  }
  absl::StatusOr<PeerPresence> Read(const std::set<PeerOperator>& wanted = kBoth) {
    return RunOn(io_, ReadPeerPresence(cluster_, wanted));
  }

  boost::asio::io_context io_{1};
  FakeClient cluster_;
};

TEST_F(PeerPresenceTest, OneDeploymentThatIsAvailable) {
  const struct {
    const char* name;
    const char* labels;
    const char* status;
    bool is_olm;
  } rows[] = {
      {"olm-operator", "{}", R"({"availableReplicas":1})", true},
      {"olm-operator", "{}", R"({"replicas":3,"availableReplicas":2})", true},
      {"own-name", R"({"app":"olm-operator"})", R"({"availableReplicas":1})", true},
      {"olm-operator", "{}", R"({"availableReplicas":0})", false},
      {"olm-operator", "{}", R"({"replicas":1,"readyReplicas":1})", false},
      {"olm-operator", "{}", "{}", false},
      {"olm-operator", "{}", "null", false},
      {"own-name", R"({"app":"olm-operator"})", "{}", false},
      {"own-name", R"({"app":"olm"})", R"({"availableReplicas":1})", false},
      {"own-name", R"({"olm-operator":"app"})", R"({"availableReplicas":1})", false},
      {"olm-operator-2", "{}", R"({"availableReplicas":1})", false},
  };
  for (const auto& row : rows) {
    Put("any", row.name, row.labels, row.status);
    ASSERT_OK_AND_ASSIGN(const PeerPresence presence, Read());
    EXPECT_EQ(presence.contains(PeerOperator::kOlmOperator), row.is_olm)
        << row.name << row.labels << row.status;
    EXPECT_FALSE(presence.contains(PeerOperator::kCatalogOperator));
    cluster_.Delete(kube::kDeployments, {"any", row.name});
  }
}

TEST_F(PeerPresenceTest, BothAndOnlyWhatIsWanted) {
  Put("olm", "olm-operator", "{}", R"({"availableReplicas":1})");
  Put("elsewhere", "c", R"({"app":"catalog-operator"})", R"({"availableReplicas":1})");
  EXPECT_THAT(
      Read().value(),
      ElementsAre(Pair(PeerOperator::kOlmOperator, kube::NamespacedName{"olm", "olm-operator"}),
                  Pair(PeerOperator::kCatalogOperator, kube::NamespacedName{"elsewhere", "c"})));
  EXPECT_THAT(
      Read({PeerOperator::kCatalogOperator}).value(),
      ElementsAre(Pair(PeerOperator::kCatalogOperator, kube::NamespacedName{"elsewhere", "c"})));
}

// This operator is found by its name alone.
TEST_F(PeerPresenceTest, TheClusterVersionOperator) {
  const std::set<PeerOperator> wanted = {PeerOperator::kClusterVersionOperator};
  Put("a", "other", R"({"app":"cluster-version-operator"})", R"({"availableReplicas":1})");
  EXPECT_THAT(Read(wanted).value(), IsEmpty());
  Put("v", "cluster-version-operator", "{}", R"({"availableReplicas":1})");
  EXPECT_THAT(Read(wanted).value(),
              ElementsAre(Pair(PeerOperator::kClusterVersionOperator,
                               kube::NamespacedName{"v", "cluster-version-operator"})));
}

// A Deployment that is scaled down hides none that runs, wherever it is in the list.
TEST_F(PeerPresenceTest, OneOfManyIsAvailable) {
  for (int i = 0; i < 250; ++i) {
    const std::string status = i == 249 ? R"({"availableReplicas":1})" : "{}";
    Put("ns" + std::to_string(1000 + i), "olm-operator", "{}", status);
  }
  EXPECT_THAT(Read().value(), ElementsAre(Pair(PeerOperator::kOlmOperator,
                                               kube::NamespacedName{"ns1249", "olm-operator"})));
}

TEST_F(PeerPresenceTest, WhatCannotBeReadIsNotKnown) {
  EXPECT_THAT(Read().value(), IsEmpty());
  // A failure of the second list alone has the same effect.
  for (const int passed : {0, 1, 2, 3}) {
    if (passed > 0) {
      cluster_.FailNext(FakeClient::Verb::kList, kube::kDeployments, absl::OkStatus(), passed);
    }
    cluster_.FailNext(FakeClient::Verb::kList, kube::kDeployments,
                      kube::ToStatus(kube::Forbidden(kube::kDeployments, "", "no")));
    EXPECT_TRUE(kube::HasReason(Read().status(), "Forbidden")) << passed;
  }
  Put("olm", "olm-operator", "{}", R"({"availableReplicas":"one"})");
  EXPECT_THAT(Read(), StatusIs(absl::StatusCode::kDataLoss,
                               HasSubstr("olm/olm-operator: status.availableReplicas")));
  cluster_.Withdraw(kube::kDeployments);
  EXPECT_TRUE(kube::HasReason(Read().status(), "NotFound")) << "no cluster is without them";
}

}  // namespace
}  // namespace steward::controllers

#include "bundle/dependents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "olm/resources.h"

namespace steward::bundle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const kube::GroupVersionResource kRoles = {"rbac.authorization.k8s.io", "v1", "roles"};
const kube::GroupVersionResource kReplicaSets = {"apps", "v1", "replicasets"};
const kube::GroupVersionResource kOperators = {"operators.coreos.com", "v1", "operators"};
const kube::NamespacedName kCsv = {"ops", "reed.v1"};

class DependentsTest : public ::testing::Test {
 protected:
  DependentsTest() {
    Publish(kRoles, "Role");
    Publish(kube::kDeployments, "Deployment");
    Publish(kReplicaSets, "ReplicaSet");
    Publish(olm::kCsvs, "ClusterServiceVersion");
    cluster_.Serve(kube::kClusterRoles);
    cluster_.Serve(kOperators);
    PutCsv(R"("operators.coreos.com/csv-cleanup")");
  }

  void Publish(const kube::GroupVersionResource& gvr, const std::string& kind) {
    cluster_.Serve(gvr);
    std::vector<kube::ApiResource>& all = published_[{gvr.group, gvr.version}];
    all.push_back({kind, gvr.resource, true, {"list", "delete"}});
    cluster_.Publish({gvr.group, gvr.version}, all);
  }
  void PutCsv(const std::string& finalizers) {
    cluster_.Put(olm::kCsvs,
                 StrCat(R"({"metadata":{"namespace":"ops","name":"reed.v1","uid":"csv",)",
                        R"("labels":{"operators.coreos.com/reed.ops":"","other":""},)",
                        R"("finalizers":[)", finalizers, "]}}"));
  }
  // An object with this UID, and the UIDs of its owners.
  void Put(const kube::GroupVersionResource& gvr, const std::string& uid,
           const std::vector<std::string>& owners, const std::string& ns = "ops") {
    std::string references;
    for (const std::string& owner : owners) {
      StrAppend(&references, references.empty() ? "" : ",", R"({"uid":")", owner, R"("})");
    }
    cluster_.Put(gvr, StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":")", uid,
                             R"(","uid":")", uid, R"(","ownerReferences":[)", references, "]}}"));
  }
  void PutFinalized(const std::string& name, const std::string& annotations = "") {
    cluster_.Put(kube::kClusterRoles,
                 StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"olm.owner":"reed.v1",)",
                        R"("olm.owner.namespace":"ops","olm.owner.kind":"ClusterServiceVersion"},)",
                        R"("annotations":{)", annotations, "}}}"));
  }
  Dependents Find(size_t most = 100) {
    absl::StatusOr<Dependents> found = RunOn(io_, FindDependents(cluster_, kCsv, most));
    EXPECT_OK(found);
    return found.ok() ? *std::move(found) : Dependents();
  }
  // "Role ops/a goes Owned".
  static std::vector<std::string> Words(const Dependents& all) {
    std::vector<std::string> words;
    for (const Dependent& each : all.objects) {
      const std::string_view fate = each.fate == Dependent::Fate::kGoes    ? "goes"
                                    : each.fate == Dependent::Fate::kStays ? "stays"
                                                                           : "unknown";
      words.push_back(StrCat(each.gvk.kind, " ", each.name.ns, "/", each.name.name, " ", fate, " ",
                             each.reason));
    }
    return words;
  }

  boost::asio::io_context io_{1};
  kube::FakeClient cluster_;
  std::map<kube::GroupVersion, std::vector<kube::ApiResource>> published_;
};

TEST_F(DependentsTest, OwnersAreFollowed) {
  Put(kRoles, "free", {});
  Put(kRoles, "own", {"csv"});
  Put(kRoles, "elsewhere", {"csv"}, "other");
  Put(kube::kDeployments, "web", {"csv"});
  Put(kReplicaSets, "web-1", {"web"});
  Put(kReplicaSets, "alone", {"somebody"});
  EXPECT_THAT(Words(Find()),
              ElementsAre("Deployment ops/web goes Owned", "ReplicaSet ops/web-1 goes Owned",
                          "Role ops/own goes Owned"));
}

TEST_F(DependentsTest, AnotherOwnerKeepsWhatItOwns) {
  Put(kRoles, "other", {});
  Put(kRoles, "kept", {"csv", "other"});
  Put(kReplicaSets, "behind", {"kept"});
  Put(kRoles, "orphan", {"csv", "gone"});
  EXPECT_THAT(Words(Find()),
              ElementsAre("Role ops/orphan goes Owned", "Role ops/kept stays OwnedByOthers"));
  // If not everything can be read, nobody knows whether the other owner exists.
  cluster_.FailNext(kube::FakeClient::Verb::kList, kube::kDeployments,
                    kube::ToStatus(kube::Forbidden(kube::kDeployments, "", "no")));
  const Dependents found = Find();
  EXPECT_THAT(Words(found), ElementsAre("Role ops/kept stays OwnedByOthers",
                                        "Role ops/orphan unknown OwnerUnknown"));
  ASSERT_EQ(found.unread.size(), 1u);
  EXPECT_EQ(found.unread[0].where, "deployments.apps");
}

TEST_F(DependentsTest, OwnersInACircleEnd) {
  Put(kRoles, "a", {"b", "csv"});
  Put(kRoles, "b", {"a"});
  EXPECT_THAT(Words(Find()), ElementsAre("Role ops/a stays OwnedByOthers"));
}

TEST_F(DependentsTest, TheFinalizerTakesObjectsOfTheCluster) {
  PutFinalized("mine");
  PutFinalized("shared", R"("operatorframework.io/installed-alongside-1":"bank/rope.v1")");
  cluster_.Put(olm::kCsvs, R"({"metadata":{"namespace":"bank","name":"rope.v1"}})");
  EXPECT_THAT(Words(Find()), ElementsAre("clusterroles /mine goes ByFinalizer",
                                         "clusterroles /shared stays UsedByOthers"));
  PutCsv("");
  EXPECT_THAT(Words(Find()), ElementsAre("clusterroles /mine stays NoFinalizer",
                                         "clusterroles /shared stays UsedByOthers"));
}

TEST_F(DependentsTest, CopiesAndTheOperator) {
  for (const char* ns : {"a", "b"}) {
    cluster_.Put(olm::kCsvs, StrCat(R"({"metadata":{"namespace":")", ns,
                                    R"(","name":"reed.v1","labels":{"olm.copiedFrom":"ops"}}})"));
  }
  cluster_.Put(olm::kCsvs,
               R"({"metadata":{"namespace":"a","name":"x","labels":{"olm.copiedFrom":"ops"}}})");
  cluster_.Put(kOperators, R"({"metadata":{"name":"reed.ops"}})");
  EXPECT_THAT(Words(Find()), ElementsAre("ClusterServiceVersion a/reed.v1 goes Copy",
                                         "ClusterServiceVersion b/reed.v1 goes Copy",
                                         "Operator /reed.ops stays GroupsOperators"));
  const Dependents few = Find(1);
  EXPECT_EQ(few.objects.size(), 1u);
  EXPECT_EQ(few.more, 2u);
}

TEST_F(DependentsTest, WhatCannotBeReadIsTold) {
  const absl::Status no = kube::ToStatus(kube::Forbidden(kube::kClusterRoles, "", "no"));
  cluster_.FailNext(kube::FakeClient::Verb::kList, kube::kClusterRoles, no);
  cluster_.FailNext(kube::FakeClient::Verb::kGet, kOperators, no);
  const Dependents found = Find();
  EXPECT_THAT(found.objects, IsEmpty());
  ASSERT_EQ(found.unread.size(), 2u);
  EXPECT_EQ(found.unread[0].where, "clusterroles.rbac.authorization.k8s.io");
  EXPECT_EQ(found.unread[1].where, "the Operator reed.ops");
  cluster_.FailNext(kube::FakeClient::Verb::kGet, olm::kCsvs, no);
  EXPECT_FALSE(RunOn(io_, FindDependents(cluster_, kCsv, 1)).ok());
}

}  // namespace
}  // namespace steward::bundle

#include "controllers/operator/operator_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/operator/operator_flags.h"
#include "controllers/operator/operator_writer.h"
#include "controllers/operator/testing/operator_cluster.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/operator/component.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kReed[] = R"({"installedCSV":"reed.v1","currentCSV":"reed.v1"})";
constexpr char kReedDefinition[] = "reeds.example.com";
// The label of Operator reed.ops, as the only one and as a further one.
constexpr char kReedLabels[] = R"(,"labels":{"operators.coreos.com/reed.ops":""})";
constexpr char kReedLabel[] = R"(,"operators.coreos.com/reed.ops":"")";

// Counts calls by "verb resource".
std::map<std::string, int>& Count(OperatorProcess& process, std::map<std::string, int>& calls) {
  process.hook().decide = [&calls](const kube::HookedCall& call) {
    ++calls[StrCat(kube::VerbText(call.verb), " ", call.gvr.resource)];
    return kube::HookedFate();
  };
  return calls;
}

void FailAll(OperatorProcess& process, kube::ClientVerb verb, const std::string& resource,
             const absl::Status& error) {
  process.hook().decide = [=](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == verb && call.gvr.resource == resource) fate.error = error;
    return fate;
  };
}

const absl::Status kBusy = kube::ToStatus(kube::ServiceUnavailable("busy", 1));

TEST(OperatorReconcilerTest, R_004_11_AFreeCsvHasItsOwn) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1");
  cluster.PutCsv("moss.v1");
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("moss.v1.ops", "reed.v1.ops"));
  EXPECT_THAT(cluster.Labels(kTestCsvs, {"ops", "reed.v1"}), ElementsAre("reed.v1.ops"));
  const json::value object = cluster.Find(kTestOperators, {"", "reed.v1.ops"});
  EXPECT_EQ(Serialize(object.at("metadata").at("annotations")),
            R"({"steward.operatorframework.io/generated":"true"})");
  EXPECT_EQ(Serialize(object.at("status").at("components")),
            R"({"labelSelector":{"matchExpressions":[{"key":"operators.coreos.com/reed.v1.ops",)"
            R"("operator":"Exists"}]},"refs":[{"kind":"ClusterServiceVersion","apiVersion":)"
            R"("operators.coreos.com/v1alpha1","namespace":"ops","name":"reed.v1","conditions":)"
            R"([{"type":"Succeeded","status":"True","reason":"InstallSucceeded"}]}]})");
  EXPECT_THAT(process.events().told, IsEmpty());
}

TEST(OperatorReconcilerTest, R_004_12_ASubscriptionHasOneBeforeItInstalls) {
  OperatorCluster cluster;
  cluster.PutSubscription("s", "reed");
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Refs("reed.ops"), ElementsAre("Subscription ops/s"));
}

TEST(OperatorReconcilerTest, R_004_13_TheCsvsOfASubscriptionShareIt) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1");
  cluster.PutSubscription("s", "reed", kReed);
  OperatorProcess process(cluster);
  process.Finish();
  // An upgrade.
  cluster.Merge(kTestSubscriptions, {"ops", "s"}, R"({"status":{"currentCSV":"reed.v2"}})",
                "status");
  cluster.PutCsv("reed.v2");
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Refs("reed.ops"),
              ElementsAre("ClusterServiceVersion ops/reed.v1", "ClusterServiceVersion ops/reed.v2",
                          "Subscription ops/s"));
  // The same package in another namespace is another operator.
  cluster.PutSubscription("s", "reed", "{}", "other");
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops", "reed.other"));
}

TEST(OperatorReconcilerTest, R_004_14_AnOrphanKeepsItsOwn) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1");
  cluster.PutSubscription("s", "reed", kReed);
  OperatorProcess process(cluster);
  process.Finish();
  cluster.Remove(kTestSubscriptions, {"ops", "s"});
  process.Finish();
  OperatorProcess(cluster).Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Labels(kTestCsvs, {"ops", "reed.v1"}), ElementsAre("reed.ops"));
  EXPECT_THAT(process.events().told, IsEmpty());
}

// A Subscription that comes later takes over, and what was generated for the time before goes.
TEST(OperatorReconcilerTest, R_004_13_ASubscriptionTakesOver) {
  for (const bool foreign : {false, true}) {
    SCOPED_TRACE(foreign);
    OperatorCluster cluster;
    cluster.PutCsv("reed.v1", "", kReedDefinition);
    cluster.PutManaged(kTestDefinitions, {"", kReedDefinition});
    if (foreign) cluster.fake().Put(kTestOperators, R"({"metadata":{"name":"reed.v1.ops"}})");
    OperatorProcess process(cluster);
    process.Finish();
    EXPECT_THAT(cluster.Labels(kTestDefinitions, {"", kReedDefinition}),
                ElementsAre("reed.v1.ops"));
    cluster.PutSubscription("s", "reed", kReed);
    process.Finish();
    if (foreign) {
      // An Operator that a user made keeps its components.
      EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops", "reed.v1.ops"));
      continue;
    }
    EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
    EXPECT_THAT(cluster.Labels(kTestDefinitions, {"", kReedDefinition}), ElementsAre("reed.ops"));
    EXPECT_THAT(cluster.Labels(kTestCsvs, {"ops", "reed.v1"}), ElementsAre("reed.ops"));
  }
}

TEST(OperatorReconcilerTest, AdoptionA) {
  OperatorCluster cluster;
  cluster.PutSubscription("s", "reed", R"({"installPlanRef":{"name":"install-2"}})");
  cluster.fake().Put(kTestPlans, StrCat(R"({"metadata":{"namespace":"ops","name":"install-1")",
                                        kReedLabels, "}}"));
  for (const char* ns : {"ops", "other"}) {
    cluster.fake().Put(kTestPlans,
                       StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":"install-2"}})"));
  }
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"),
              ElementsAre("InstallPlan ops/install-2", "Subscription ops/s"));
  cluster.Merge(kTestSubscriptions, {"ops", "s"},
                R"({"status":{"installPlanRef":{"name":"install-3"}}})", "status");
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"), ElementsAre("Subscription ops/s"));
  cluster.fake().Put(kTestPlans, R"({"metadata":{"namespace":"ops","name":"install-3"}})");
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"),
              ElementsAre("InstallPlan ops/install-3", "Subscription ops/s"));
}

TEST(OperatorReconcilerTest, AdoptionB) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", kReedLabels, kReedDefinition);
  const std::string owned = OwnedBy(cluster, "reed.v1");
  const kube::GroupVersionResource cluster_roles = {"rbac.authorization.k8s.io", "v1",
                                                    "clusterroles"};
  cluster.PutManaged(kTestDeployments, {"ops", "by-reference"}, "", owned);
  cluster.PutManaged(kTestDeployments, {"other", "of-another-namespace"}, "", owned);
  cluster.PutManaged(kTestDeployments, {"ops", "of-another-uid"}, "",
                     R"(,"ownerReferences":[{"apiVersion":"operators.coreos.com/v1alpha1",)"
                     R"("kind":"ClusterServiceVersion","name":"reed.v1","uid":"earlier"}])");
  cluster.PutManaged(kTestRoles, {"other", "by-labels"}, OwnerLabels("reed.v1"));
  cluster.PutManaged(kTestRoles, {"other", "of-another"}, OwnerLabels("reed.v1", "other"));
  cluster.PutManaged(kTestRoles, {"other", "a-copy"},
                     OwnerLabels("reed.v1") + R"(,"olm.copiedFrom":"ops")");
  cluster.PutManaged(cluster_roles, {"", "by-labels"}, OwnerLabels("reed.v1"));
  cluster.PutManaged(kTestDefinitions, {"", kReedDefinition});
  cluster.PutManaged(kTestDefinitions, {"", "others.example.com"});
  // An object without OLM's label is no component.
  cluster.fake().Put(kTestConfigMaps,
                     StrCat(R"({"metadata":{"namespace":"ops","name":"unmanaged")", owned, "}}"));
  OperatorProcess process(cluster);
  process.Finish();
  const std::vector<std::string> adopted = {
      "ClusterRole by-labels",
      "ClusterServiceVersion ops/reed.v1",
      StrCat("CustomResourceDefinition ", kReedDefinition),
      "Deployment ops/by-reference",
      "Role other/by-labels",
  };
  EXPECT_EQ(cluster.Refs("reed.ops"), adopted);
  // A label that somebody removes comes back, and what comes later is adopted, too.
  cluster.Merge(kTestDefinitions, {"", kReedDefinition},
                R"({"metadata":{"labels":{"operators.coreos.com/reed.ops":null}}})");
  cluster.PutManaged(kTestConfigMaps, {"ops", "late"}, "", owned);
  process.Finish();
  EXPECT_THAT(cluster.Labels(kTestConfigMaps, {"ops", "late"}), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Labels(kTestDefinitions, {"", kReedDefinition}), ElementsAre("reed.ops"));
}

// One component that cannot be written keeps no other waiting.
TEST(OperatorReconcilerTest, AdoptionGoesOnAfterARefusal) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", kReedLabels);
  cluster.PutManaged(kTestConfigMaps, {"ops", "a"}, OwnerLabels("reed.v1"));
  cluster.PutManaged(kTestRoles, {"ops", "a"}, OwnerLabels("reed.v1"));
  OperatorProcess process(cluster);
  FailAll(process, kube::ClientVerb::kPatch, "configmaps",
          kube::ToStatus(kube::Forbidden(kTestConfigMaps, "a", "no")));
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"),
              ElementsAre("ClusterServiceVersion ops/reed.v1", "Role ops/a"));
  process.hook().decide = nullptr;
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"), Contains("ConfigMap ops/a"));
}

TEST(OperatorReconcilerTest, R_004_15_ADeletedOneIsMadeAnew) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1");
  OperatorProcess process(cluster);
  process.Finish();
  const json::value before = cluster.Find(kTestOperators, {"", "reed.v1.ops"});
  // A finalizer delays the deletion.
  cluster.Merge(kTestOperators, {"", "reed.v1.ops"}, R"({"metadata":{"finalizers":["a/b"]}})");
  cluster.Merge(kTestOperators, {"", "reed.v1.ops"},
                R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  process.Finish();
  cluster.Remove(kTestOperators, {"", "reed.v1.ops"});
  process.Finish();
  const json::value after = cluster.Find(kTestOperators, {"", "reed.v1.ops"});
  EXPECT_NE(after.at("metadata").at("uid"), before.at("metadata").at("uid"));
  EXPECT_EQ(after.at("status"), before.at("status"));
}

TEST(OperatorReconcilerTest, ShowsConditions) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", kReedLabels);
  cluster.PutManaged(kTestDeployments, {"ops", "reed"}, kReedLabel, "",
                     R"(,"status":{"conditions":[{"type":"Available","status":"False"}]})");
  OperatorProcess process(cluster);
  process.Finish();
  const auto deployment = [&cluster] {
    return Serialize(cluster.Find(kTestOperators, {"", "reed.ops"})
                         .at("status")
                         .at("components")
                         .at("refs")
                         .at(1));
  };
  EXPECT_EQ(deployment(),
            R"({"kind":"Deployment","apiVersion":"apps/v1","namespace":"ops","name":"reed",)"
            R"("conditions":[{"type":"Available","status":"False"}]})");
  cluster.Merge(kTestDeployments, {"ops", "reed"},
                R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})", "status");
  process.Finish();
  EXPECT_THAT(deployment(), HasSubstr(R"("status":"True")"));
  // The phase of the CSV is its condition.
  cluster.Merge(kTestCsvs, {"ops", "reed.v1"}, R"({"status":{"phase":"Failed"}})", "status");
  process.Finish();
  EXPECT_THAT(Serialize(cluster.Find(kTestOperators, {"", "reed.ops"}).at("status")),
              HasSubstr(R"("type":"Failed")"));
}

TEST(OperatorReconcilerTest, R_004_08_CopiesAreNoComponents) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", kReedLabels);
  cluster.PutCsv("reed.v1",
                 R"(,"labels":{"olm.copiedFrom":"ops","operators.coreos.com/a":"",)"
                 R"("operators.coreos.com/reed.ops":"","mine":"1"})",
                 "", "other");
  cluster.PutCsv("reed.v1", R"(,"labels":{"olm.copiedFrom":"ops"})", "", "third");
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Refs("reed.ops"), ElementsAre("ClusterServiceVersion ops/reed.v1"));
  EXPECT_EQ(Serialize(cluster.Find(kTestCsvs, {"other", "reed.v1"}).at("metadata").at("labels")),
            R"({"olm.copiedFrom":"ops","mine":"1"})");
}

TEST(OperatorReconcilerTest, R_004_13_NamesThatAreCutAreShared) {
  const std::string cut(63, 'a');
  OperatorCluster cluster;
  cluster.PutSubscription("s", cut + "b");
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(process.events().told, IsEmpty());
  cluster.PutCsv(cut + "c");
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre(cut));
  EXPECT_THAT(cluster.Refs(cut),
              ElementsAre(StrCat("ClusterServiceVersion ops/", cut, "c"), "Subscription ops/s"));
  EXPECT_THAT(process.events().told,
              ElementsAre(AllOf(StartsWith(StrCat("NameShared ", cut, ": ")),
                                HasSubstr(StrCat(cut, "b.ops, ", cut, "c.ops")))));
}

// Case 32: one Operator, and nothing is shared.
TEST(OperatorReconcilerTest, R_004_13_ALongNameIsCut) {
  OperatorCluster cluster;
  const std::string ns = "namespace-with-a-long-name-too";
  const std::string package = "a-package-whose-name-is-long-enough-to-matter-operator";
  const std::string csv = package + ".v1.0.0";
  cluster.PutCsv(csv, "", "", ns);
  cluster.PutSubscription("s", package, StrCat(R"({"installedCSV":")", csv, "\"}"), ns);
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre(StrCat(package, ".namespac")));
  EXPECT_THAT(process.events().told, IsEmpty());
}

TEST(OperatorReconcilerTest, NamesThatNoObjectCanHave) {
  OperatorCluster cluster;
  cluster.PutSubscription("s", "no label");
  cluster.PutSubscription("t", "Upper_Case");
  cluster.PutSubscription("u", "");
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), IsEmpty());
  EXPECT_THAT(process.events().told, ElementsAre(StartsWith("NoOperatorName s: \"no label.ops\"")));
}

TEST(OperatorReconcilerTest, R_004_14_OutlivesItsCsvUntilNothingIsLeft) {
  for (const bool restarts : {false, true}) {
    SCOPED_TRACE(restarts);
    OperatorCluster cluster;
    cluster.PutCsv("reed.v1", "", kReedDefinition);
    cluster.PutSubscription("s", "reed", kReed);
    cluster.PutManaged(kTestDefinitions, {"", kReedDefinition});
    cluster.PutManaged(kTestDeployments, {"ops", "reed"}, kReedLabel);
    auto process = std::make_unique<OperatorProcess>(cluster);
    process->Finish();
    EXPECT_THAT(process->events().told, IsEmpty());
    if (restarts) process.reset();
    cluster.Remove(kTestCsvs, {"ops", "reed.v1"});
    cluster.Remove(kTestSubscriptions, {"ops", "s"});
    cluster.Remove(kTestDeployments, {"ops", "reed"});
    if (restarts) process = std::make_unique<OperatorProcess>(cluster);
    process->Finish();
    EXPECT_THAT(cluster.Refs("reed.ops"),
                ElementsAre(StrCat("CustomResourceDefinition ", kReedDefinition)));
    EXPECT_THAT(process->events().told,
                Contains(AllOf(StartsWith("OperatorKept reed.ops: "),
                               HasSubstr("label operators.coreos.com/reed.ops: "
                                         "CustomResourceDefinition reeds.example.com. It is "
                                         "deleted once nothing bears the label"))));
    if (restarts) process.reset();
    cluster.Remove(kTestDefinitions, {"", kReedDefinition});
    if (restarts) process = std::make_unique<OperatorProcess>(cluster);
    process->Finish();
    EXPECT_THAT(cluster.Operators(), IsEmpty());
  }
}

// A definition that an operator left behind suffices, also for a new process.
TEST(OperatorReconcilerTest, R_004_15_ComesBackForADefinition) {
  OperatorCluster cluster;
  cluster.PutManaged(kTestDefinitions, {"", "others.example.com"});
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_EQ(cluster.fake().running_watches(kTestDeployments), 0);
  cluster.PutManaged(kTestDefinitions, {"", kReedDefinition}, kReedLabel);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(process.events().told, ElementsAre(StartsWith("OperatorKept reed.ops: ")));
}

TEST(OperatorReconcilerTest, AForeignOneIsNeverDeleted) {
  OperatorCluster cluster;
  cluster.fake().Put(kTestOperators, R"({"metadata":{"name":"reed.ops"}})");
  cluster.PutManaged(kTestConfigMaps, {"ops", "a"}, kReedLabel);
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_THAT(cluster.Refs("reed.ops"), ElementsAre("ConfigMap ops/a"));
  EXPECT_THAT(process.events().told, ElementsAre(Not(HasSubstr("It is deleted"))));
  cluster.Remove(kTestConfigMaps, {"ops", "a"});
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
  EXPECT_THAT(cluster.Refs("reed.ops"), IsEmpty());
}

// An Operator of the same name that somebody made meanwhile stays.
TEST(OperatorReconcilerTest, OnlyTheOneThatWasReadIsDeleted) {
  OperatorCluster cluster;
  cluster.PutManaged(kTestDefinitions, {"", kReedDefinition}, kReedLabel);
  OperatorProcess process(cluster);
  process.Finish();
  bool replaced = false;
  process.hook().decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kDelete && !replaced) {
      replaced = true;
      cluster.Remove(kTestOperators, {"", "reed.ops"});
      cluster.fake().Put(kTestOperators, R"({"metadata":{"name":"reed.ops"}})");
    }
    return kube::HookedFate();
  };
  cluster.Remove(kTestDefinitions, {"", kReedDefinition});
  process.Finish();
  EXPECT_TRUE(replaced);
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
}

struct ListCase {
  const char* name;
  absl::Status error;
};

TEST(OperatorReconcilerTest, AFailingListIsNoAbsence) {
  for (const ListCase& tc : std::vector<ListCase>{
           {"busy", kBusy},
           {"forbidden", kube::ToStatus(kube::Forbidden(kTestDefinitions, "", "no"))},
           {"a path that is not found", kube::ToStatus(kube::NotFoundPath())},
           {"no answer", absl::UnavailableError("connection refused")}}) {
    SCOPED_TRACE(tc.name);
    OperatorCluster cluster;
    // Discovery says that definitions are served.
    kube::ApiResource served;
    served.resource = kTestDefinitions.resource;
    served.kind = "CustomResourceDefinition";
    cluster.fake().Publish(kTestDefinitions.group_version(), {served});
    cluster.PutManaged(kTestDefinitions, {"", kReedDefinition}, kReedLabel);
    cluster.PutManaged(kTestConfigMaps, {"ops", "a"}, kReedLabel);
    OperatorProcess process(cluster);
    process.Finish();
    ASSERT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
    FailAll(process, kube::ClientVerb::kList, kTestDefinitions.resource, tc.error);
    cluster.Remove(kTestDefinitions, {"", kReedDefinition});
    cluster.Remove(kTestConfigMaps, {"ops", "a"});
    process.Finish();
    EXPECT_THAT(cluster.Operators(), ElementsAre("reed.ops"));
    process.hook().decide = nullptr;
    process.Finish();
    EXPECT_THAT(cluster.Operators(), IsEmpty());
  }
}

// Without a complete picture nothing is written at all.
TEST(OperatorReconcilerTest, WaitsForEveryList) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1");
  OperatorProcess process(cluster);
  FailAll(process, kube::ClientVerb::kList, "configmaps", kBusy);
  process.Finish();
  EXPECT_THAT(cluster.Operators(), IsEmpty());
  EXPECT_THAT(cluster.Labels(kTestCsvs, {"ops", "reed.v1"}), IsEmpty());
  process.hook().decide = nullptr;
  process.Finish();
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.v1.ops"));
}

TEST(OperatorReconcilerTest, ALabelThatOnlyTheClusterKnowsKeepsIt) {
  OperatorCluster cluster;
  cluster.PutManaged(kTestDefinitions, {"", kReedDefinition}, kReedLabel);
  OperatorProcess process(cluster);
  process.Finish();
  cluster.Remove(kTestDefinitions, {"", kReedDefinition});
  int deletions = 0;
  process.hook().decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kGet && call.gvr.resource == "operators") {
      cluster.PutManaged(kTestRoles, {"ops", "late"}, kReedLabel);
    }
    deletions += call.verb == kube::ClientVerb::kDelete ? 1 : 0;
    return kube::HookedFate();
  };
  process.Finish();
  EXPECT_EQ(deletions, 0);
  EXPECT_THAT(cluster.Refs("reed.ops"), ElementsAre("Role ops/late"));
}

TEST(OperatorReconcilerTest, KindsAreFollowedWhenTheyAreNeeded) {
  OperatorCluster cluster;
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_EQ(cluster.fake().running_watches(kTestDeployments), 0);
  EXPECT_EQ(cluster.fake().running_watches(kTestSubscriptions), 1);
  cluster.PutCsv("reed.v1");
  process.Finish();
  EXPECT_EQ(cluster.fake().running_watches(kTestDeployments), 1);
  EXPECT_EQ(cluster.fake().running_watches(kTestSecrets), 0);
  EXPECT_THAT(cluster.Operators(), ElementsAre("reed.v1.ops"));
}

TEST(OperatorReconcilerTest, SecretsAreShownWhereTheFlagSaysSo) {
  for (const bool shown : {false, true}) {
    OperatorCluster cluster;
    cluster.PutCsv("reed.v1", kReedLabels);
    cluster.PutManaged(kTestSecrets, {"ops", "a"}, kReedLabel);
    OperatorFlags flags;
    flags.secrets = shown;
    OperatorProcess process(cluster, flags);
    std::map<std::string, int> calls;
    Count(process, calls);
    process.Finish();
    EXPECT_EQ(calls["list secrets"], shown ? 1 : 0);
    EXPECT_EQ(cluster.Refs("reed.ops").size(), shown ? 2 : 1);
  }
}

TEST(OperatorReconcilerTest, OneObjectIsOfAFewOperators) {
  const auto labels = [](const std::string& prefix, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      StrAppend(&all, all.empty() ? "" : ",", R"("operators.coreos.com/)", prefix, 100000 + i,
                R"(":"")");
    }
    return all;
  };
  constexpr size_t kMost = olm::kMaxOperatorsOfOne;
  OperatorCluster cluster;
  cluster.fake().Serve({"operators.coreos.com", "v2", "operatorconditions"});
  cluster.PutCsv("reed.v1", kReedLabels);
  cluster.PutManaged(kTestConfigMaps, {"ops", "some"}, "," + labels("other", kMost));
  cluster.PutManaged(kTestConfigMaps, {"ops", "many"}, "," + labels("m", 20000));
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_EQ(cluster.Operators().size(), 1 + 2 * kMost);
  EXPECT_THAT(cluster.Operators(), AllOf(Contains("reed.ops"), Contains("m100015")));
  EXPECT_THAT(process.events().told,
              Contains("TooManyOperators many: It bears more than 16 labels "
                       "operators.coreos.com/NAME: it is a component of the Operators that are "
                       "first by name, and of no others"));
  // Operators whose labels no longer count are deleted, though the labels are still there.
  cluster.Merge(kTestConfigMaps, {"ops", "many"},
                StrCat(R"({"metadata":{"labels":{)", labels("a", kMost), "}}}"));
  process.Finish();
  EXPECT_EQ(cluster.Operators().size(), 1 + 2 * kMost);
  EXPECT_THAT(cluster.Operators(), AllOf(Contains("a100015"), Not(Contains("m100000"))));
  std::map<std::string, int> calls;
  Count(process, calls);
  process.Finish();
  EXPECT_THAT(calls, IsEmpty());
}

// A ClusterServiceVersion is held from a World.
TEST(OperatorReconcilerTest, OneCsvIsOfAFewOperators) {
  std::string labels;
  for (size_t i = 0; i <= olm::kMaxOperatorsOfOne; ++i) {
    StrAppend(&labels, labels.empty() ? "" : ",", R"("operators.coreos.com/m)", 100 + i, R"(":"")");
  }
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", StrCat(R"(,"labels":{)", labels, "}"));
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_EQ(cluster.Operators().size(), olm::kMaxOperatorsOfOne);
  EXPECT_THAT(process.events().told, ElementsAre(StartsWith("TooManyOperators reed.v1: ")));
}

TEST(OperatorReconcilerTest, AnOperatorShowsItsFirstComponents) {
  constexpr size_t kOver = 500;
  OperatorCluster cluster;
  cluster.fake().Serve({"operators.coreos.com", "v2", "operatorconditions"});
  cluster.PutCsv("reed.v1", kReedLabels);
  for (size_t i = 0; i < kMaxShown - 1 + kOver; ++i) {
    cluster.PutManaged(kTestDeployments, {"ops", StrCat("d", 10000 + i)}, kReedLabel);
  }
  OperatorProcess process(cluster);
  std::map<std::string, int> calls;
  Count(process, calls);
  process.Finish();
  EXPECT_EQ(calls["get deployments"], kMaxShown - 1);
  const std::vector<std::string> refs = cluster.Refs("reed.ops");
  EXPECT_EQ(refs.size(), kMaxShown);
  EXPECT_THAT(
      refs, AllOf(Contains("ClusterServiceVersion ops/reed.v1"), Contains("Deployment ops/d10998"),
                  Not(Contains("Deployment ops/d10999"))));
  const std::string told =
      "TooManyComponents reed.ops: Its status shows the first of its components, and leaves out ";
  EXPECT_THAT(process.events().told, ElementsAre(StrCat(told, kOver, " more")));

  // More that are not shown cost no call, and an Event when there are twice as many or so.
  const auto more = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      cluster.PutManaged(kTestConfigMaps, {"ops", StrCat("c", i)}, kReedLabel);
    }
    process.Finish();
  };
  calls.clear();
  more(0, 11);
  EXPECT_THAT(calls, IsEmpty());
  more(11, 12);
  EXPECT_THAT(calls, ElementsAre(std::pair("get operators", 1)));
  EXPECT_THAT(process.events().told,
              ElementsAre(StrCat(told, kOver, " more"), StrCat(told, kOver + 12, " more")));
  // A component that goes makes room for the next one.
  cluster.Remove(kTestDeployments, {"ops", "d10000"});
  process.Finish();
  EXPECT_EQ(cluster.Refs("reed.ops").size(), kMaxShown);
  EXPECT_THAT(cluster.Refs("reed.ops"), Contains("Deployment ops/d10999"));
}

TEST(OperatorReconcilerTest, AnOperatorsStatusCanBeWritten) {
  OperatorCluster cluster;
  cluster.PutCsv("reed.v1", kReedLabels);
  for (int i = 0; i < 60; ++i) {
    cluster.PutManaged(kTestDeployments, {"ops", StrCat("d", 10 + i)}, kReedLabel, "",
                       StrCat(R"(,"status":{"conditions":[{"type":"A","status":"True","message":")",
                              std::string(30000, 'm'), R"("}]})"));
  }
  OperatorProcess process(cluster);
  process.Finish();
  EXPECT_EQ(cluster.Refs("reed.ops").size(), 35);
  EXPECT_LE(Serialize(cluster.Find(kTestOperators, {"", "reed.ops"})).size(), kMaxShownBytes);
  EXPECT_THAT(process.events().told, ElementsAre(HasSubstr("leaves out 26 more")));
}

// Issue 36: 500 Operators with 20 components each.
TEST(OperatorReconcilerTest, IdleCostsNothing) {
  constexpr int kOperators = 500;
  constexpr int kOthers = 18;
  OperatorCluster cluster;
  cluster.fake().Serve({"operators.coreos.com", "v2", "operatorconditions"});
  for (int i = 0; i < kOperators; ++i) {
    const std::string label = StrCat(R"("operators.coreos.com/reed-)", i, R"(.ops":"")");
    cluster.PutCsv(StrCat("reed-", i), StrCat(R"(,"labels":{)", label, "}"));
    cluster.PutManaged(kTestDeployments, {"ops", StrCat("reed-", i)}, "," + label);
    for (int j = 0; j < kOthers; ++j) {
      cluster.PutManaged(kTestConfigMaps, {"ops", StrCat("reed-", i, "-", j)}, "," + label);
    }
  }
  OperatorProcess process(cluster);
  process.Finish();
  ASSERT_EQ(cluster.Operators().size(), kOperators);
  ASSERT_EQ(cluster.Refs("reed-7.ops").size(), kOthers + 2);

  std::map<std::string, int> calls;
  Count(process, calls);
  process.Finish();
  EXPECT_THAT(calls, IsEmpty());

  cluster.Merge(kTestDeployments, {"ops", "reed-7"},
                R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})", "status");
  process.Finish();
  EXPECT_EQ(calls, (std::map<std::string, int>{
                       {"get deployments", 1}, {"get operators", 1}, {"update operators", 1}}));
  // A change that shows nowhere is not written.
  calls.clear();
  cluster.Merge(kTestDeployments, {"ops", "reed-7"}, R"({"spec":{"replicas":3}})");
  process.Finish();
  EXPECT_EQ(calls, (std::map<std::string, int>{{"get deployments", 1}}));
}

}  // namespace
}  // namespace steward::controllers

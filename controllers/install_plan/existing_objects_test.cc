// Tests plans whose objects exist already.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kPlan[] = "install-1";
constexpr char kDefinition[] = "servicemonitors.monitoring.coreos.com";
const kube::GroupVersionResource kServices = {"", "v1", "services"};

void Scope(PlanCluster& cluster) {
  cluster.Merge(kTestGroups, {"ops", "group"}, R"({"spec":{"serviceAccountName":"scoped"}})");
  cluster.Create(kTestAccounts, "ops",
                 R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"scoped"}})");
}

std::string OwnerText(const char* name, const char* more = "") {
  return StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
                R"("metadata":{"name":")", name, R"(")", more,
                R"(},"spec":{"displayName":"A","install":{"strategy":"deployment"},)",
                R"("customresourcedefinitions":{"owned":[{"name":")", kDefinition,
                R"(","version":"v1","kind":"ServiceMonitor"}]}}})");
}

TestStep ServiceStep(const char* spec) {
  return {{"", "v1", "Service"},
          "reed",
          StrCat(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"reed"},"spec":)", spec,
                 "}")};
}

constexpr char kUrl[] =
    R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://elsewhere.example.com/convert"}}}}})";
constexpr char kTwoVersions[] =
    R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},)"
    R"({"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}})";

struct RightsCase {
  const char* name;
  bool scoped;
  bool there;
  const char* owner_in;  // the namespace of an operator that owns the definition; "" = none
  const char* more;      // further members of the owner's metadata
  const char* versions;  // versions of the plan's definition; "" = those of the existing one
  bool url;
  const char* status;
  const char* stops;  // a part of the message with which the plan stops; "" = it goes on
};

// `47-definition-hijack`: only plans of the owner's namespace change a definition.
TEST(ExistingObjectsTest, WhoseADefinitionIs) {
  constexpr char kCopy[] = R"(,"labels":{"olm.copiedFrom":"other"})";
  for (const RightsCase& tc : std::vector<RightsCase>{
           {"a new one", true, false, "", "", "", false, "Unknown", ""},
           {"a new one with an address outside", true, false, "", "", "", true, "Unknown",
            "converted at https://elsewhere.example.com/convert"},
           {"that, as if it had been made", true, false, "", "", "", true, "WaitingForApi",
            "converted at"},
           {"nobody's", true, true, "", "", kTwoVersions, false, "Unknown",
            "no operator of this namespace owns it"},
           {"nobody's, and nothing changes", true, true, "", "", "", false, "Unknown", ""},
           {"another namespace's", true, true, "other", "", kTwoVersions, false, "Unknown",
            "an operator of another namespace owns it"},
           {"another namespace's, and a copy here", true, true, "ops", kCopy, kTwoVersions, false,
            "Unknown", "no operator of this namespace owns it"},
           {"its own", true, true, "ops", "", kTwoVersions, false, "Unknown", ""},
           {"its own, with an address outside", true, true, "ops", "", "", true, "Unknown",
            "converted at"},
           {"without an account", false, true, "other", "", kTwoVersions, false, "Unknown", ""},
           {"that, with an address outside", false, true, "other", "", "", true, "Unknown",
            "converted at"}}) {
    SCOPED_TRACE(tc.name);
    PlanCluster cluster;
    if (tc.scoped) Scope(cluster);
    if (tc.there) cluster.Create(kTestDefinitions, "", DefinitionText());
    if (*tc.owner_in != '\0') cluster.Create(kTestCsvs, tc.owner_in, OwnerText("a.v1", tc.more));
    TestStep definition = DefinitionStep(tc.versions);
    if (tc.url) {
      json::object text = json::parse(definition.manifest).as_object();
      text["spec"].as_object()["conversion"] = json::parse(kUrl).at("spec").at("conversion");
      definition.manifest = Serialize(text);
    }
    cluster.AddPlan(kPlan, {CsvStep(), definition});
    if (std::string(tc.status) != "Unknown") {
      json::object status = cluster.Status(kPlan);
      status["plan"].as_array()[1].as_object()["status"] = tc.status;
      cluster.Merge(kTestPlans, {"ops", kPlan}, Serialize(json::object{{"status", status}}),
                    "status");
    }
    const json::value before = cluster.Find(kTestDefinitions, {"", kDefinition});
    PlanProcess process(cluster);
    process.Settle(kPlan, 3);
    const json::value after = cluster.Find(kTestDefinitions, {"", kDefinition});
    if (*tc.stops == '\0') {
      EXPECT_EQ(cluster.Phase(kPlan), "Complete") << cluster.Message(kPlan);
      EXPECT_EQ(after == before, tc.there && *tc.versions == '\0' && *tc.owner_in == '\0');
      continue;
    }
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(tc.stops));
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(kDefinition));
    EXPECT_EQ(after, before);
    EXPECT_EQ(cluster.Find(kTestCsvs, {"ops", "reed.v1"}), nullptr) << "nothing is written";
  }
}

// A plan that brought a definition first does not convert the objects of an operator that comes
// later.
TEST(ExistingObjectsTest, AConversionOfSomebodyElse) {
  constexpr char kConversion[] =
      R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
      R"("clientConfig":{"service":{"namespace":"other","name":"a"}}}}}})";
  for (const bool owned : {false, true}) {
    PlanCluster cluster;
    cluster.Create(kTestDefinitions, "", DefinitionText());
    cluster.Merge(kTestDefinitions, {"", kDefinition}, kConversion);
    if (owned) cluster.Create(kTestCsvs, "other", OwnerText("a.v1"));
    cluster.AddPlan(kPlan, {CsvStep(), DefinitionStep()});
    PlanProcess process(cluster);
    process.Settle(kPlan, 3);
    EXPECT_EQ(cluster.Phase(kPlan), owned ? "Complete" : "Installing");
    if (owned) continue;
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr("no operator owns it"));
  }
}

// Nobody owns OLM's own definitions, even if an operator claims to.
TEST(ExistingObjectsTest, OlmsOwnDefinitions) {
  PlanCluster cluster;
  Scope(cluster);
  constexpr char kGroups[] = "operatorgroups.operators.coreos.com";
  const auto text = [](const char* more) {
    return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                  R"("metadata":{"name":"operatorgroups.operators.coreos.com"},"spec":{"group":)",
                  R"("operators.coreos.com","scope":"Namespaced","names":{"plural":)",
                  R"("operatorgroups","kind":"OperatorGroup")", more, R"(},"versions":[)",
                  R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)",
                  R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  };
  cluster.Create(kTestDefinitions, "", text(""));
  std::string owner = OwnerText("a.v1");
  owner.replace(owner.find(kDefinition), std::string(kDefinition).size(), kGroups);
  cluster.Create(kTestCsvs, "ops", owner);
  cluster.AddPlan(kPlan, {CsvStep(),
                          {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                           kGroups,
                           text(R"(,"shortNames":["mine"])")}});
  PlanProcess process(cluster);
  process.Settle(kPlan, 2);
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("is OLM's own"));
}

// `55-on-its-way-out`: an object with a finalizer exists until the finalizer is removed.
TEST(ExistingObjectsTest, WhatIsBeingDeletedIsWaitedFor) {
  for (const TestStep& step :
       {ConfigMapStep(), RoleStep(), AccountStep(), ServiceStep(R"({"ports":[{"port":1}]})"),
        TestStep{{"policy", "v1", "PodDisruptionBudget"},
                 "reed",
                 R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",)"
                 R"("metadata":{"name":"reed"},"spec":{"maxUnavailable":1}})"}}) {
    SCOPED_TRACE(step.gvk.kind);
    const std::vector<std::pair<std::string, kube::GroupVersionResource>> resources = {
        {"ConfigMap", kTestConfigMaps},
        {"Role", kTestRoles},
        {"ServiceAccount", kTestAccounts},
        {"Service", kServices},
        {"PodDisruptionBudget", {"policy", "v1", "poddisruptionbudgets"}}};
    kube::GroupVersionResource gvr;
    for (const auto& [kind, resource] : resources) {
      if (kind == step.gvk.kind) gvr = resource;
    }
    const kube::NamespacedName name = {"ops", step.name};
    PlanCluster cluster;
    json::object old = json::parse(step.manifest).as_object();
    old["metadata"].as_object()["finalizers"] = json::array{"example.com/held"};
    cluster.Create(gvr, "ops", Serialize(old));
    const std::string uid(cluster.Find(gvr, name).at("metadata").at("uid").as_string());
    cluster.Remove(gvr, name);
    cluster.AddPlan(kPlan, {CsvStep(), step});
    PlanProcess process(cluster);
    process.Settle(kPlan, 3);
    EXPECT_EQ(cluster.Steps(kPlan), "Unknown Unknown");
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr("it is there, and is being deleted"));
    cluster.Merge(gvr, name, R"({"metadata":{"finalizers":null}})");
    ASSERT_EQ(cluster.Find(gvr, name), nullptr);
    process.Settle(kPlan);
    EXPECT_EQ(cluster.Phase(kPlan), "Complete");
    EXPECT_NE(cluster.Find(gvr, name).at("metadata").at("uid").as_string(), uid);
  }
}

// If the object goes between the read and the write, the answer to the write shows it.
TEST(ExistingObjectsTest, OneThatBeginsToGo) {
  PlanCluster cluster;
  cluster.Create(kTestConfigMaps, "ops",
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings",)"
                 R"("finalizers":["example.com/held"]}})");
  cluster.AddPlan(kPlan, {CsvStep(), ConfigMapStep()});
  PlanProcess process(cluster);
  process.hook().decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kPatch && call.gvr.resource == "configmaps") {
      const json::value live = cluster.Find(kTestConfigMaps, {"ops", "settings"});
      if (!live.at("metadata").as_object().contains("deletionTimestamp")) {
        cluster.Remove(kTestConfigMaps, {"ops", "settings"});
      }
    }
    return kube::HookedFate();
  };
  process.Settle(kPlan, 3);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Unknown");
}

// `59-service-address`, `60-handed-over`: fields of the old version are removed, and fields that
// somebody else added stay.
TEST(ExistingObjectsTest, UpgradesReplace) {
  PlanCluster cluster;
  TestStep settings = ConfigMapStep();
  settings.manifest = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)"
                      R"("data":{"version":"1","old":"1"}})";
  cluster.AddPlan(kPlan, {CsvStep(), settings,
                          ServiceStep(R"({"ports":[{"name":"https","port":8443}],)"
                                      R"("selector":{"app":"reed","plane":"old"}})")});
  PlanProcess process(cluster);
  process.Settle(kPlan);
  ASSERT_EQ(cluster.Phase(kPlan), "Complete");
  cluster.Merge(kTestConfigMaps, {"ops", "settings"}, R"({"data":{"custom":"mine"}})");
  settings.manifest = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)"
                      R"("data":{"version":"2"}})";
  cluster.AddPlan("install-2", {CsvStep(), settings,
                                ServiceStep(R"({"ports":[{"name":"https","port":8444}],)"
                                            R"("selector":{"app":"reed"}})")});
  process.Settle("install-2");
  EXPECT_EQ(cluster.Phase("install-2"), "Complete") << cluster.Message("install-2");
  EXPECT_EQ(cluster.Find(kTestConfigMaps, {"ops", "settings"}).at("data"),
            json::parse(R"({"version":"2","custom":"mine"})"));
  const json::value service = cluster.Find(kServices, {"ops", "reed"});
  EXPECT_EQ(service.at("spec").at("selector"), json::parse(R"({"app":"reed"})"));
  ASSERT_EQ(service.at("spec").at("ports").as_array().size(), 1U);
  EXPECT_EQ(service.at("spec").at("ports").at(0).at("port"), 8444);
}

// `56-immutable-fields`, `57-narrower-definition`: predictable failures are found before the first
// write.
TEST(ExistingObjectsTest, WhatNobodyMayChange) {
  constexpr char kHead[] =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)";
  TestStep settings = ConfigMapStep();
  settings.manifest = StrCat(kHead, R"("immutable":true,"data":{"a":"2"}})");
  TestStep cluster_wide = DefinitionStep();
  json::object text = json::parse(cluster_wide.manifest).as_object();
  text["spec"].as_object()["scope"] = "Cluster";
  cluster_wide.manifest = Serialize(text);
  for (const auto& [step, says] : std::vector<std::pair<TestStep, std::string>>{
           {settings, "step 2, ConfigMap settings: ConfigMap \"settings\" is invalid: data"},
           {cluster_wide, "spec.scope: it is Namespaced, and cannot become Cluster"}}) {
    SCOPED_TRACE(says);
    PlanCluster cluster;
    cluster.Create(kTestConfigMaps, "ops", StrCat(kHead, R"("immutable":true,"data":{"a":"1"}})"));
    cluster.Create(kTestDefinitions, "", DefinitionText());
    cluster.AddPlan(kPlan, {CsvStep(), step, AccountStep()});
    PlanProcess process(cluster);
    process.Settle(kPlan, 2);
    EXPECT_EQ(cluster.Steps(kPlan), "Unknown Unknown Unknown");
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(says));
    process.Settle(kPlan, 100);
    EXPECT_EQ(cluster.Phase(kPlan), "Failed");
    EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty());
    EXPECT_THAT(cluster.All(kTestAccounts), IsEmpty());
  }
}

// A dry run without an answer does not prevent an installation.
TEST(ExistingObjectsTest, WhatCannotBeTriedIsDone) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), ConfigMapStep()});
  PlanProcess process(cluster, {.hooks_dry_runs = true});
  process.hook().decide = [](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.dry_run) fate.error = absl::UnavailableError("away");
    return fate;
  };
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

// A warning names a field that objects hold and the new schema does not know.
TEST(ExistingObjectsTest, AFieldThatWouldBeLost) {
  PlanCluster cluster;
  cluster.Create(kTestDefinitions, "", DefinitionText());
  constexpr char kMonitor[] =
      R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor","metadata":)"
      R"({"name":"old"},"spec":{"port":"metrics"}})";
  cluster.Create(kTestMonitors, "other", kMonitor);
  constexpr char kWithout[] =
      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
      R"("properties":{"spec":{"type":"object"}}}}})";
  cluster.AddPlan(kPlan, {CsvStep(), DefinitionStep(kWithout)});
  PlanProcess process(cluster);
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  EXPECT_THAT(process.events().told,
              ElementsAre(HasSubstr("ServiceMonitor other/old would lose spec.port")));
}

// `51-step-name`: a step's manifest must have the name that the step shows.
TEST(ExistingObjectsTest, AStepInstallsWhatItShows) {
  TestStep config = ConfigMapStep("real");
  config.name = "shown";
  TestStep csv = CsvStep();
  csv.name = "shown.v1";
  for (const auto& [steps, says] : std::vector<std::pair<std::vector<TestStep>, std::string>>{
           {{CsvStep(), config}, "the manifest is ConfigMap real, not ConfigMap shown"},
           {{csv}, "ClusterServiceVersion reed.v1, not ClusterServiceVersion shown.v1"}}) {
    PlanCluster cluster;
    cluster.AddPlan(kPlan, steps);
    PlanProcess process(cluster);
    process.Settle(kPlan, 1);
    EXPECT_EQ(cluster.Phase(kPlan), "Failed") << "no time mends it";
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(says));
    EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty());
  }
}

// A copy or an operator that is being deleted must not own objects, which would be deleted with it.
TEST(ExistingObjectsTest, OwnersThatDoNotLast) {
  for (const bool copy : {true, false}) {
    PlanCluster cluster;
    cluster.Create(kTestCsvs, "ops",
                   OwnerText("reed.v1", copy ? R"(,"labels":{"olm.copiedFrom":"other"})"
                                             : R"(,"finalizers":["example.com/held"])"));
    if (!copy) cluster.Remove(kTestCsvs, {"ops", "reed.v1"});
    cluster.AddPlan(kPlan, {ConfigMapStep()});
    PlanProcess process(cluster);
    process.Settle(kPlan, 3);
    EXPECT_EQ(cluster.Steps(kPlan), "Unknown");
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr("the ClusterServiceVersion reed.v1"));
    EXPECT_EQ(cluster.Find(kTestConfigMaps, {"ops", "settings"}), nullptr);
  }
}

}  // namespace
}  // namespace steward::controllers

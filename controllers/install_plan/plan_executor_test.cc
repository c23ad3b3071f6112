#include "controllers/install_plan/plan_executor.h"

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
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kPlan[] = "install-1";
constexpr char kAny[] = R"(,"schema":{"openAPIV3Schema":{"type":"object"}})";

std::string Json(const json::value& value, std::string_view key) {
  return Serialize(value.as_object().at(key));
}

// Makes the first `times` calls of the verb on the resource fail with `error`.
void Fail(PlanProcess& process, kube::ClientVerb verb, std::string resource, absl::Status error,
          int times = 1'000'000) {
  process.hook().decide = [=, left = times](const kube::HookedCall& call) mutable {
    kube::HookedFate fate;
    if (call.verb == verb && call.gvr.resource == resource && left-- > 0) fate.error = error;
    return fate;
  };
}

kube::Status WithReason(int code, const std::string& reason) {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = StrCat("the server says ", reason);
  return status;
}

TEST(PlanExecutorTest, InstallsABundle) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {TokenStep(), ConfigMapStep(), RoleStep(), AccountStep(), CsvStep()});
  PlanProcess process(cluster);
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  EXPECT_EQ(cluster.Message(kPlan), "");
  EXPECT_EQ(cluster.Steps(kPlan), "Created Created Created Created Created");
  EXPECT_THAT(cluster.Condition(kPlan), StartsWith("Installed=True"));
  EXPECT_THAT(process.events().told, IsEmpty());

  const json::value csv = cluster.Find(kTestCsvs, {"ops", "reed.v1"});
  const json::value config = cluster.Find(kTestConfigMaps, {"ops", "settings"});
  const json::object& metadata = config.at("metadata").as_object();
  EXPECT_EQ(Json(metadata, "labels"), R"({"olm.managed":"true"})");
  EXPECT_EQ(metadata.at("ownerReferences").at(0).at("uid"), csv.at("metadata").at("uid"));
  EXPECT_FALSE(csv.at("metadata").as_object().contains("ownerReferences"));

  // A plan that has ended causes no more calls, whatever is requested.
  int calls = 0;
  process.hook().decide = [&calls](const kube::HookedCall& call) {
    calls += call.writes() ? 1 : 0;
    return kube::HookedFate();
  };
  ASSERT_TRUE(process.Pass(kPlan)->ok());
  EXPECT_EQ(calls, 0);
}

TEST(PlanExecutorTest, NothingWithoutApproval) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), ConfigMapStep()}, /*approved=*/false);
  PlanProcess process(cluster);
  process.Settle(kPlan, 3);
  EXPECT_EQ(cluster.Phase(kPlan), "RequiresApproval");
  EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty());
  cluster.Merge(kTestPlans, {"ops", kPlan}, R"({"spec":{"approved":true}})");
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

TEST(PlanExecutorTest, WaitsForAnOperatorGroup) {
  PlanCluster cluster;
  cluster.Remove(kTestGroups, {"ops", "group"});
  cluster.AddPlan(kPlan, {CsvStep()});
  PlanProcess process(cluster);
  process.Settle(kPlan, 30);  // longer than the retry timeout
  EXPECT_EQ(cluster.Phase(kPlan), "Installing");
  EXPECT_EQ(cluster.Condition(kPlan),
            "Installed=False InstallCheckFailed: no operator group found that is managing this "
            "namespace");
  constexpr char kGroup[] =
      R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup","metadata":)"
      R"({"name":"late"},"spec":{"serviceAccountName":"scoped"}})";
  cluster.Create(kTestGroups, "ops", kGroup);
  process.Settle(kPlan, 2);
  EXPECT_THAT(cluster.Condition(kPlan), HasSubstr("service account scoped"));
  cluster.Create(kTestAccounts, "ops",
                 R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"scoped"}})");
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

// The executor writes definitions as itself, and everything else as the group's service account.
TEST(PlanExecutorTest, ActsAsTheServiceAccount) {
  PlanCluster cluster;
  cluster.Merge(kTestGroups, {"ops", "group"}, R"({"spec":{"serviceAccountName":"scoped"}})");
  cluster.Create(kTestAccounts, "ops",
                 R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"scoped"}})");
  cluster.AddPlan(kPlan, {CsvStep(), DefinitionStep(), ConfigMapStep(), MonitorStep(false)});
  PlanProcess process(cluster);
  std::vector<std::string> creates;
  process.hook().decide = [&creates](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kCreate)
      creates.push_back(StrCat(call.gvr.resource, " ", call.as));
    return kube::HookedFate();
  };
  process.Settle(kPlan);
  const std::string scoped = " system:serviceaccount:ops:scoped";
  EXPECT_THAT(creates, ElementsAre("clusterserviceversions" + scoped, "customresourcedefinitions ",
                                   "configmaps" + scoped, "servicemonitors" + scoped));
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

struct AbsenceCase {
  const char* name;
  bool optional;
  bool gate;
  const char* phase;
  const char* steps;
};

// R-002-03, 05, 06, 29, 55: the API of a step is absent.
TEST(PlanExecutorTest, AnApiIsAbsent) {
  for (const AbsenceCase& tc : std::vector<AbsenceCase>{
           {"optional", true, true, "Complete", "Created NotCreated Created"},
           {"mandatory", false, true, "Failed", "Unknown Unknown Unknown"},
           {"optional with the gate off", true, false, "Failed", "Unknown Unknown Unknown"}}) {
    SCOPED_TRACE(tc.name);
    PlanCluster cluster;
    cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(tc.optional), ConfigMapStep()});
    PlanProcess process(cluster, {.gate = tc.gate});
    process.Settle(kPlan, 100);
    EXPECT_EQ(cluster.Phase(kPlan), tc.phase);
    EXPECT_EQ(cluster.Steps(kPlan), tc.steps);
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr("step 2, ServiceMonitor reed: the API server "
                                                  "does not serve ServiceMonitor in "
                                                  "monitoring.coreos.com/v1"));
    EXPECT_EQ(process.events().told.size(), 1);

    // R-002-67: a Complete plan stays as it is; only a new plan tries again.
    if (std::string(tc.phase) != "Complete") continue;
    cluster.Create(kTestDefinitions, "", DefinitionText());
    process.Settle(kPlan, 3);
    EXPECT_EQ(cluster.Steps(kPlan), tc.steps);
    cluster.AddPlan("install-2", {CsvStep(), MonitorStep(true), ConfigMapStep()});
    process.Settle("install-2");
    EXPECT_EQ(cluster.Steps("install-2"), "Present Created Present");
  }
}

// R-002-25: an API that the same plan adds is never absent, in any order of the steps.
TEST(PlanExecutorTest, TheBundleBringsTheApi) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {MonitorStep(true), DefinitionStep(), CsvStep()});
  PlanProcess process(cluster);
  // Discovery does not show the new API for the first calls.
  int lag = 3;
  process.hook().decide = [&lag](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == kube::ClientVerb::kDiscover && lag-- > 0)
      fate.error = kube::ToStatus(kube::NotFoundPath());
    return fate;
  };
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Created Created");
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

struct AnswerCase {
  int code;
  const char* reason;
  bool refuses;
};

// R-002-30 to 46, 52, 53: each answer to the creation of an optional manifest, and of a mandatory
// one.
TEST(PlanExecutorTest, Answers) {
  for (const AnswerCase& tc : std::vector<AnswerCase>{{401, "Unauthorized", true},
                                                      {403, "Forbidden", true},
                                                      {404, "NotFound", true},
                                                      {422, "Invalid", true},
                                                      {406, "NotAcceptable", true},
                                                      {415, "UnsupportedMediaType", true},
                                                      {409, "Conflict", true},
                                                      {410, "Gone", false},
                                                      {500, "ServerTimeout", false},
                                                      {504, "Timeout", false},
                                                      {429, "TooManyRequests", false},
                                                      {400, "BadRequest", false},
                                                      {405, "MethodNotAllowed", false},
                                                      {413, "RequestEntityTooLarge", false},
                                                      {500, "InternalError", false},
                                                      {410, "Expired", false},
                                                      {503, "ServiceUnavailable", false}}) {
    for (const bool optional : {true, false}) {
      SCOPED_TRACE(StrCat(tc.reason, optional ? ", optional" : ""));
      PlanCluster cluster;
      cluster.Create(kTestDefinitions, "", DefinitionText());
      cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(optional)});
      PlanProcess process(cluster);
      Fail(process, kube::ClientVerb::kCreate, "servicemonitors",
           kube::ToStatus(WithReason(tc.code, tc.reason)));
      process.Settle(kPlan, 3);
      EXPECT_THAT(cluster.Message(kPlan), HasSubstr("the server says"));
      if (tc.refuses && optional) {
        EXPECT_EQ(cluster.Steps(kPlan), "Created NotCreated");
        EXPECT_EQ(cluster.Phase(kPlan), "Complete");
        continue;
      }
      EXPECT_EQ(cluster.Steps(kPlan), "Created Unknown");
      EXPECT_EQ(cluster.Phase(kPlan), "Installing");
      EXPECT_THAT(cluster.Message(kPlan), StartsWith("retrying execution due to error: "));
      cluster.clock().Advance(absl::Minutes(2));
      process.Settle(kPlan, 1);
      // Forbidden does not end a plan, because rights may be granted later.
      const bool forbidden = std::string(tc.reason) == "Forbidden";
      EXPECT_EQ(cluster.Phase(kPlan), forbidden ? "Installing" : "Failed");
    }
  }
}

// R-002-29: a failed discovery does not prove that an API is absent.
TEST(PlanExecutorTest, AnOutageIsNoAbsence) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(true)});
  PlanProcess process(cluster);
  Fail(process, kube::ClientVerb::kDiscover, "",
       kube::ToStatus(kube::ServiceUnavailable("away", 1)));
  process.Settle(kPlan, 3);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Unknown");
  EXPECT_EQ(cluster.Phase(kPlan), "Installing");
  process.hook().decide = nullptr;
  cluster.Create(kTestDefinitions, "", DefinitionText());
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Created");
}

// R-002-47: an existing object is updated. R-002-65: a conflict of that update is an error, not
// NotCreated.
TEST(PlanExecutorTest, WhatIsThere) {
  PlanCluster cluster;
  cluster.Create(kTestDefinitions, "", DefinitionText());
  constexpr char kMonitor[] =
      R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor","metadata":)"
      R"({"name":"reed","labels":{"mine":"x"},"finalizers":["a.b/c"]},"spec":{"port":"old"}})";
  cluster.Create(kTestMonitors, "ops", kMonitor);
  cluster.Create(kTestConfigMaps, "ops",
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)"
                 R"("data":{"a":"0","b":"2"}})");
  cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(true), ConfigMapStep()});
  PlanProcess process(cluster);
  Fail(process, kube::ClientVerb::kUpdate, "servicemonitors",
       kube::ToStatus(kube::Conflict(kTestMonitors, "reed", "changed")), 6);
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Present Present");
  const json::value monitor = cluster.Find(kTestMonitors, {"ops", "reed"});
  EXPECT_EQ(monitor.at("spec").at("port"), "metrics");
  EXPECT_EQ(monitor.at("metadata").at("labels").at("mine"), "x");
  EXPECT_EQ(Json(monitor.at("metadata"), "finalizers"), R"(["a.b/c"])");
  const json::value config = cluster.Find(kTestConfigMaps, {"ops", "settings"});
  EXPECT_EQ(Serialize(config.at("data")), R"({"a":"1","b":"2"})");
  // Neither object is deleted along with the operator.
  for (const json::value& object : {monitor, config}) {
    EXPECT_FALSE(object.at("metadata").as_object().contains("ownerReferences"));
    EXPECT_THAT(Serialize(object), Not(HasSubstr("olm.managed")));
  }
}

// A definition that appears between its check and its creation is not replaced unchecked.
TEST(PlanExecutorTest, ADefinitionThatWasNotChecked) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), DefinitionStep()});
  PlanProcess process(cluster);
  bool made = false;
  process.hook().decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kCreate &&
        call.gvr.resource == "customresourcedefinitions" && !made) {
      made = true;
      cluster.Create(kTestDefinitions, "",
                     DefinitionText(StrCat(R"({"name":"v1","served":true,"storage":true)", kAny,
                                           R"(},{"name":"v2","served":true,)", R"("storage":false)",
                                           kAny, "}")));
    }
    return kube::HookedFate();
  };
  (void)process.Pass(kPlan);
  EXPECT_EQ(cluster.Steps(kPlan), "Created Unknown");
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("it has changed since it was checked"));
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
}

// If the cluster refuses the change, the step is NotCreated, and the message says that the old
// object stays.
TEST(PlanExecutorTest, R_002_65_WhatIsThereStaysWhereAChangeIsRefused) {
  PlanCluster cluster;
  cluster.Create(kTestDefinitions, "", DefinitionText());
  constexpr char kMonitor[] =
      R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor","metadata":)"
      R"({"name":"reed"},"spec":{"port":"old"}})";
  cluster.Create(kTestMonitors, "ops", kMonitor);
  cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(true)});
  PlanProcess process(cluster);
  Fail(process, kube::ClientVerb::kUpdate, "servicemonitors",
       kube::ToStatus(WithReason(422, "Invalid")));
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Steps(kPlan), "Created NotCreated");
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("the object that is there stays as it is"));
  EXPECT_EQ(cluster.Find(kTestMonitors, {"ops", "reed"}).at("spec").at("port"), "old");
}

TEST(PlanExecutorTest, WhatABundleMustNotDecide) {
  PlanCluster cluster;
  constexpr char kMetadata[] =
      R"(,"namespace":"other","finalizers":["operatorframework.io/delete-custom-resources"],)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"x"}],)"
      R"("labels":{"steward.operatorframework.io/opt-in-confirmed":"x","olm.copiedFrom":"other",)"
      R"("team":"a"},"annotations":{"steward.operatorframework.io/rights-released":"x"})";
  cluster.AddPlan(kPlan, {CsvStep(kMetadata), ConfigMapStep("settings", kMetadata)});
  PlanProcess process(cluster);
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  EXPECT_EQ(cluster.Find(kTestConfigMaps, {"other", "settings"}), nullptr);
  for (const auto& gvr : {kTestCsvs, kTestConfigMaps}) {
    const json::value object =
        cluster.Find(gvr, {"ops", gvr == kTestCsvs ? "reed.v1" : "settings"});
    const json::object& metadata = object.at("metadata").as_object();
    EXPECT_FALSE(metadata.contains("finalizers"));
    EXPECT_THAT(Serialize(object), Not(HasSubstr("rights-released")));
    EXPECT_EQ(Json(metadata, "labels"), R"({"team":"a","olm.managed":"true"})");
    EXPECT_THAT(Serialize(object), Not(HasSubstr(R"("uid":"x")")));
  }
}

TEST(PlanExecutorTest, ABundleThatIsGone) {
  PlanCluster cluster;
  TestStep by_reference = ConfigMapStep();
  by_reference.manifest = R"({"kind":"ConfigMap","name":"bundle","namespace":"olm"})";
  cluster.AddPlan(kPlan, {CsvStep(), by_reference});
  PlanProcess process(cluster);
  process.Settle(kPlan, 2);
  EXPECT_EQ(cluster.Phase(kPlan), "Installing");
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("olm/bundle is not there"));
  EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty()) << "what is not whole is not begun";
  json::object bundle = {{"apiVersion", "v1"},
                         {"kind", "ConfigMap"},
                         {"metadata", {{"name", "bundle"}}},
                         {"data", {{"settings.yaml", ConfigMapStep().manifest}}}};
  cluster.Create(kTestConfigMaps, "olm", Serialize(bundle));
  process.Settle(kPlan, 1);
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("olm/bundle is not there"))
      << "somebody's ConfigMap is no bundle";
  cluster.Remove(kTestConfigMaps, {"olm", "bundle"});
  bundle["metadata"].as_object()["ownerReferences"] = json::parse(
      R"([{"apiVersion":"operators.coreos.com/v1alpha1","kind":"CatalogSource","name":"c","uid":"c"}])");
  cluster.Create(kTestConfigMaps, "olm", Serialize(bundle));
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  cluster.Remove(kTestConfigMaps, {"olm", "bundle"});
  cluster.AddPlan("install-2", {CsvStep(), by_reference});
  process.Settle("install-2", 100);
  EXPECT_EQ(cluster.Phase("install-2"), "Failed");
}

// R-002-22: properties make a step optional, which is written back to the plan.
TEST(PlanExecutorTest, OptionalByProperties) {
  const std::string properties =
      R"({"properties":[{"type":"olm.manifests.optional","value":{"manifests":)"
      R"([{"group":"monitoring.coreos.com/v1","kind":"ServiceMonitor","name":"reed"}]}}]})";
  json::value text = json::string(properties);
  const std::string annotation =
      StrCat(R"(,"annotations":{"operatorframework.io/properties":)", Serialize(text), "}");
  for (const bool gate : {true, false}) {
    PlanCluster cluster;
    cluster.AddPlan(kPlan, {CsvStep(annotation), MonitorStep(false)});
    PlanProcess process(cluster, {.gate = gate});
    process.Settle(kPlan, 2);
    EXPECT_EQ(cluster.Steps(kPlan), gate ? "Created NotCreated" : "Unknown Unknown");
    const json::value step = cluster.Status(kPlan).at("plan").at(1);
    EXPECT_EQ(step.as_object().contains("optional"), gate);
  }
}

struct DefinitionCase {
  const char* name;
  const char* versions;
  const char* stops;  // a part of the message with which the plan stops; "" = it goes on
};

TEST(PlanExecutorTest, DefinitionsThatChange) {
  constexpr char kMonitor[] =
      R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor","metadata":)"
      R"({"name":"old"},"spec":{"port":"metrics"}})";
  for (const DefinitionCase& tc : std::vector<DefinitionCase>{
           {"an object would not be valid",
            R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":)"
            R"("object","properties":{"spec":{"type":"object","properties":{"port":{"type":)"
            R"("integer"}}}}}}})",
            "ServiceMonitor other/old: spec.port"},
           {"a stored version would go",
            R"({"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
            R"({"type":"object"}}})",
            "version v1"},
           {"a version is not served any more",
            R"({"name":"v1","served":false,"storage":false,"schema":{"openAPIV3Schema":)"
            R"({"type":"object"}}},{"name":"v2","served":true,"storage":true,"schema":)"
            R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})",
            ""}}) {
    SCOPED_TRACE(tc.name);
    PlanCluster cluster;
    cluster.Create(kTestDefinitions, "", DefinitionText());
    cluster.Create(kTestMonitors, "other", kMonitor);
    cluster.AddPlan(kPlan, {CsvStep(), DefinitionStep(tc.versions), ConfigMapStep()});
    PlanProcess process(cluster);
    process.Settle(kPlan, 2);
    if (std::string(tc.stops).empty()) {
      EXPECT_EQ(cluster.Phase(kPlan), "Complete");
      EXPECT_EQ(cluster.Steps(kPlan), "Created Present Created");
      EXPECT_THAT(process.events().told,
                  ElementsAre(HasSubstr("version v1 is not served any more")));
      continue;
    }
    EXPECT_EQ(cluster.Phase(kPlan), "Installing");
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(tc.stops));
    EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty()) << "nothing is written";
    process.Settle(kPlan, 100);
    EXPECT_EQ(cluster.Phase(kPlan), "Failed");
    EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty());
  }
}

TEST(PlanExecutorTest, PlansThatAreInvalid) {
  TestStep unknown = ConfigMapStep();
  unknown.gvk = {"example.com", "v1", "Widget"};
  TestStep other = ConfigMapStep();
  other.gvk.kind = "Service";
  TestStep broken = ConfigMapStep();
  broken.manifest = "{";
  for (const auto& [step, says] :
       std::vector<std::pair<TestStep, std::string>>{{unknown, "Widget in example.com/v1"},
                                                     {other, "the manifest is ConfigMap in v1"},
                                                     {broken, "step 2"}}) {
    SCOPED_TRACE(says);
    PlanCluster cluster;
    cluster.AddPlan(kPlan, {CsvStep(), step});
    PlanProcess process(cluster);
    process.Settle(kPlan, 100);
    EXPECT_EQ(cluster.Phase(kPlan), "Failed");
    EXPECT_THAT(cluster.Message(kPlan), HasSubstr(says));
    EXPECT_THAT(cluster.Condition(kPlan), StartsWith("Installed=False InstallComponentFailed"));
    EXPECT_THAT(cluster.All(kTestCsvs), IsEmpty());
  }
}

// `70-failed-and-mended`: withdrawing the approval and giving it again makes the plan try again.
TEST(PlanExecutorTest, AFailedPlanIsTriedAgain) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(false), ConfigMapStep()});
  PlanProcess process(cluster);
  process.Settle(kPlan, 100);
  ASSERT_EQ(cluster.Phase(kPlan), "Failed");
  EXPECT_THAT(process.events().told, ElementsAre(HasSubstr("tried again when spec.approved")));
  cluster.Create(kTestDefinitions, "", DefinitionText());
  ASSERT_TRUE(process.Pass(kPlan)->ok());
  EXPECT_EQ(cluster.Phase(kPlan), "Failed") << "not by itself";
  cluster.Merge(kTestPlans, {"ops", kPlan}, R"({"spec":{"approved":false}})");
  ASSERT_TRUE(process.Pass(kPlan)->ok());
  EXPECT_EQ(cluster.Phase(kPlan), "RequiresApproval");
  EXPECT_FALSE(cluster.Status(kPlan).contains("startTime"));
  cluster.clock().Advance(absl::Hours(1));
  cluster.Merge(kTestPlans, {"ops", kPlan}, R"({"spec":{"approved":true}})");
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  EXPECT_EQ(cluster.Steps(kPlan), "Created Created Created");
}

// A plan that cannot be valid fails at once.
TEST(PlanExecutorTest, PlansThatFailAtOnce) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(R"(,"annotations":{"operatorframework.io/properties":"{"})"),
                          ConfigMapStep()});
  PlanProcess process(cluster);
  process.Settle(kPlan, 1);
  EXPECT_EQ(cluster.Phase(kPlan), "Failed");
  EXPECT_THAT(cluster.Message(kPlan), HasSubstr("the properties in step 1"));

  cluster.AddPlan("install-2", {CsvStep(), ConfigMapStep()});
  json::object status = cluster.Status("install-2");
  status["plan"].as_array()[1].as_object()["optional"] = "yes";
  cluster.Merge(kTestPlans, {"ops", "install-2"}, Serialize(json::object{{"status", status}}),
                "status");
  process.Settle("install-2", 1);
  EXPECT_EQ(cluster.Phase("install-2"), "Failed");
  EXPECT_THAT(cluster.Message("install-2"), HasSubstr("status.plan[1].optional"));
}

// The message keeps the reason of a NotCreated step while another step fails.
TEST(PlanExecutorTest, TheReasonStays) {
  PlanCluster cluster;
  cluster.AddPlan(kPlan, {CsvStep(), MonitorStep(true), ConfigMapStep()});
  PlanProcess process(cluster);
  Fail(process, kube::ClientVerb::kCreate, "configmaps", absl::UnavailableError("reset"), 3);
  process.Settle(kPlan, 2);
  EXPECT_EQ(cluster.Steps(kPlan), "Created NotCreated Unknown");
  process.Settle(kPlan);
  EXPECT_EQ(cluster.Phase(kPlan), "Complete");
  EXPECT_THAT(cluster.Message(kPlan),
              StartsWith("not created: step 2, ServiceMonitor reed: the API server does not"));
  EXPECT_EQ(process.events().told.size(), 1);
}

}  // namespace
}  // namespace steward::controllers

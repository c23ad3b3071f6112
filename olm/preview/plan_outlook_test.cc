#include "olm/preview/plan_outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/preview.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct StepOptions {
  const char* status = "Unknown";
  bool optional = false;
  const char* version = "v1";
  std::string manifest;  // "" = a minimal manifest of the kind
};

std::string Quoted(const std::string& text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

std::string StepJson(const std::string& group, const std::string& kind, const std::string& name,
                     const StepOptions& options = {}) {
  const kube::GroupVersionKind gvk = {group, options.version, kind};
  const std::string bare = StrCat(R"({"apiVersion":")", gvk.ApiVersion(), R"(","kind":")", kind,
                                  R"(","metadata":{"name":")", name, R"("}})");
  return StrCat(R"({"resolving":"reed.v1","status":")", options.status, R"(","optional":)",
                options.optional ? "true" : "false", R"(,"resource":{"group":")", group,
                R"(","version":")", options.version, R"(","kind":")", kind, R"(","name":")", name,
                R"(","manifest":)", Quoted(options.manifest.empty() ? bare : options.manifest),
                "}}");
}

struct PlanOptions {
  bool approved = true;
  const char* phase = "Installing";
  const char* metadata = "";
  const char* status = "";
};

PlanFactsPtr PlanOf(const std::vector<std::string>& steps, const PlanOptions& options = {}) {
  std::string json =
      StrCat(R"({"metadata":{"name":"p","namespace":"ops","uid":"u")", options.metadata,
             R"(},"spec":{"approved":)", options.approved ? "true" : "false",
             R"(},"status":{"phase":")", options.phase, R"(")", options.status, R"(,"plan":[)");
  for (const std::string& step : steps) StrAppend(&json, json.back() == '[' ? "" : ",", step);
  return *DecodePlan(StrCat(json, "]}}"));
}

DefinitionFactsPtr DefinitionOf(const std::string& group, const std::string& kind) {
  DefinitionFacts facts;
  facts.name = StrCat("x.", group);
  facts.group = group;
  facts.kind = kind;
  facts.namespaced = true;
  facts.served = {"v1"};
  return std::make_shared<const DefinitionFacts>(std::move(facts));
}

constexpr char kMonitoring[] = "monitoring.coreos.com";
constexpr char kExtensions[] = "apiextensions.k8s.io";

PlanPreview PreviewIn(const std::vector<DefinitionFactsPtr>& definitions, const PlanFactsPtr& plan,
                      bool gate = true) {
  ServedKinds served;
  for (const DefinitionFactsPtr& definition : definitions) served.Add(*definition);
  return PreviewOf(PlanOutlook::Of(plan, served), gate);
}
// Returns "Outcome Reason" for each step.
std::vector<std::string> Words(const PlanPreview& preview) {
  std::vector<std::string> words;
  for (const PreviewStep& step : preview.steps) {
    EXPECT_EQ(step.basis, Basis::kRule);
    words.push_back(StrCat(ToString(step.outcome), " ", step.reason));
  }
  return words;
}

TEST(PlanOutlookTest, StepsThatHaveEndedSayWhatIs) {
  const PlanPreview preview =
      PreviewIn({}, PlanOf({StepJson("", "ConfigMap", "a", {.status = "Created"}),
                            StepJson("", "ConfigMap", "b", {.status = "Present"}),
                            StepJson(kMonitoring, "ServiceMonitor", "c", {.status = "NotCreated"})},
                           {.phase = "Complete"}));
  EXPECT_THAT(Words(preview), ElementsAre("Unchanged StepIsDone", "Unchanged StepIsDone",
                                          "NotCreated StepWasNotCreated"));
  EXPECT_EQ(preview.condition.reason, kPlanIsComplete);
  EXPECT_FALSE(preview.condition.executable);
}

TEST(PlanOutlookTest, IdentitiesAndNamespaces) {
  const PlanPreview preview =
      PreviewIn({DefinitionOf(kMonitoring, "ServiceMonitor")},
                PlanOf({StepJson("", "BundleSecret", "s",
                                 {.manifest = R"({"apiVersion":"v1","kind":"Secret"})"}),
                        StepJson("rbac.authorization.k8s.io", "ClusterRole", "r"),
                        StepJson(kMonitoring, "ServiceMonitor", "m"),
                        StepJson("scheduling.k8s.io", "PriorityClass", "p")}));
  EXPECT_THAT(Words(preview), ::testing::Each("Create CreatedOrUpdated"));
  ASSERT_EQ(preview.steps.size(), 4u);
  EXPECT_EQ(preview.steps[0].ns, "ops");
  EXPECT_EQ(preview.steps[0].gvk, (kube::GroupVersionKind{"", "v1", "Secret"}))
      << "BundleSecret is a word of OLM's";
  EXPECT_EQ(preview.steps[1].ns, "");
  EXPECT_EQ(preview.steps[2].ns, "ops");
  EXPECT_EQ(preview.steps[3].ns, "");
  EXPECT_EQ(preview.steps[2].index, 2u);
  EXPECT_EQ(preview.steps[2].resolving, "reed.v1");
  EXPECT_EQ(preview.steps[2].gvk, (kube::GroupVersionKind{kMonitoring, "v1", "ServiceMonitor"}));
  EXPECT_EQ(preview.steps[2].status, "Unknown");
  EXPECT_TRUE(preview.condition.executable);
}

// R-002-05, R-002-55: the gate decides whether an absent API fails a plan.
TEST(PlanOutlookTest, R_002_05_AbsentApis) {
  const PlanFactsPtr plan =
      PlanOf({StepJson(kMonitoring, "ServiceMonitor", "m", {.optional = true}),
              StepJson("", "ConfigMap", "c"), StepJson("", "ServiceAccount", "s")});
  const PlanPreview on = PreviewIn({}, plan);
  EXPECT_THAT(Words(on), ElementsAre("NotCreated ApiAbsent", "Create CreatedOrUpdated",
                                     "Create CreatedOrUpdated"));
  EXPECT_TRUE(on.steps[0].declared_optional);
  EXPECT_TRUE(on.steps[0].optional);
  EXPECT_EQ(on.steps[0].message,
            "the API server does not serve ServiceMonitor in monitoring.coreos.com/v1");
  // The ServiceAccount comes first; steps after the failing one are not tried.
  const PlanPreview off = PreviewIn({}, plan, false);
  EXPECT_THAT(Words(off),
              ElementsAre("Fail ApiAbsent", "Blocked EarlierStepFails", "Create CreatedOrUpdated"));
  EXPECT_TRUE(off.steps[0].declared_optional);
  EXPECT_FALSE(off.steps[0].optional);
  EXPECT_EQ(off.steps[1].message, "step 1, ServiceMonitor m fails first");
  EXPECT_THAT(Words(PreviewIn({DefinitionOf(kMonitoring, "ServiceMonitor")}, plan)),
              ::testing::Each("Create CreatedOrUpdated"));
  EXPECT_THAT(Words(PreviewIn({DefinitionOf("example.com", "ServiceMonitor")}, plan))[0],
              "NotCreated ApiAbsent");
}

// R-002-15, R-002-69: "optional" has no effect on these kinds.
TEST(PlanOutlookTest, R_002_15_OptionalKinds) {
  const PlanPreview preview =
      PreviewIn({}, PlanOf({StepJson("", "ConfigMap", "c", {.optional = true}),
                            StepJson("operators.coreos.com", "Subscription", "s",
                                     {.optional = true, .version = "v1alpha1"})}));
  for (const PreviewStep& step : preview.steps) {
    EXPECT_TRUE(step.declared_optional);
    EXPECT_FALSE(step.optional);
  }
}

// R-002-25: there is no race with definitions of the same plan.
TEST(PlanOutlookTest, R_002_25_ApisThatThePlanBrings) {
  const std::string definition =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"m.monitoring.coreos.com"},"spec":{"group":"monitoring.coreos.com",)"
      R"("scope":"Namespaced","names":{"kind":"ServiceMonitor"},)"
      R"("versions":[{"name":"v1","served":true}]}})";
  const std::string monitor = StepJson(kMonitoring, "ServiceMonitor", "m", {.optional = true});
  const PlanPreview brought = PreviewIn(
      {},
      PlanOf({monitor, StepJson(kExtensions, "CustomResourceDefinition", "m.monitoring.coreos.com",
                                {.status = "WaitingForApi", .manifest = definition})}));
  EXPECT_THAT(Words(brought), ElementsAre("Create CreatedOrUpdated", "Unchanged WaitsForApi"));
  EXPECT_EQ(brought.steps[0].ns, "ops");
  // The definition is in the bundle's ConfigMap, which the rules do not read.
  const PlanPreview unseen = PreviewIn(
      {}, PlanOf({monitor,
                  StepJson(kExtensions, "CustomResourceDefinition", "m.monitoring.coreos.com",
                           {.manifest = R"({"kind":"ConfigMap","name":"b","namespace":"olm"})"})}));
  EXPECT_THAT(Words(unseen), ElementsAre("Unknown ApiUnknown", "Create CreatedOrUpdated"));
}

TEST(PlanOutlookTest, OldVersionsOfBuiltInKinds) {
  EXPECT_THAT(
      Words(PreviewIn(
          {}, PlanOf({StepJson("policy", "PodDisruptionBudget", "p", {.version = "v1beta1"}),
                      StepJson("networking.k8s.io", "NetworkPolicy", "n")}))),
      ElementsAre("Unknown ApiUnknown", "Create CreatedOrUpdated"));
}

TEST(PlanOutlookTest, Conditions) {
  const std::string step = StepJson("", "ConfigMap", "c");
  struct Case {
    PlanFactsPtr plan;
    std::string_view reason;
    std::string message;
    std::vector<std::string> words;
  };
  const Case cases[] = {
      {PlanOf({step}), kApproved, "", {"Create CreatedOrUpdated"}},
      {PlanOf({step}, {.approved = false, .phase = "RequiresApproval"}),
       kNotApproved,
       "spec.approved is false",
       {"Create CreatedOrUpdated"}},
      {PlanOf({step}, {.metadata = R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")"}),
       kPlanIsDeleted,
       "is being deleted",
       {"Blocked PlanIsDeleted"}},
      {PlanOf({step}, {.phase = "Failed"}),
       kPlanHasFailed,
       "has failed",
       {"Blocked PlanHasFailed"}},
      {PlanOf({step}, {.phase = "Complete"}),
       kPlanIsComplete,
       "is complete",
       {"Blocked PlanIsComplete"}},
      {PlanOf({}), kNoSteps, "has no steps", {}},
      {PlanOf({}, {.status = R"(,"bundleLookups":[{"identifier":"a","conditions":[)"
                             R"({"type":"BundleLookupPending","status":"True"}]}])"}),
       kNotUnpacked,
       "are still to be unpacked",
       {}},
      {PlanOf({"null"}), kInvalidPlan, "status.plan[0]: must be an object", {}},
      {PlanOf({step, StepJson("apps", "Deployment", "d")}),
       kInvalidPlan,
       "step 2, Deployment d: a plan does not install objects of the kind Deployment in apps/v1",
       {"Blocked InvalidPlan", "Blocked UnsupportedKind"}},
      {PlanOf({step, StepJson("apps", "Deployment", "d", {.status = "UnsupportedResource"})}),
       kInvalidPlan,
       "the status UnsupportedResource is none of a step",
       {"Blocked InvalidPlan", "Blocked UnsupportedKind"}},
      {PlanOf({step, StepJson("", "ConfigMap", "d", {.status = "Odd"})}),
       kInvalidPlan,
       "step 2, ConfigMap d: the status Odd is none of a step",
       {"Blocked InvalidPlan", "Blocked InvalidPlan"}},
      {PlanOf({step, StepJson("", "ConfigMap", "d", {.manifest = "{"})}),
       kInvalidPlan,
       "step 2, ConfigMap d: ",
       {"Blocked InvalidPlan", "Blocked InvalidManifest"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(StrCat(each.reason, " ", each.message));
    const PlanPreview preview = PreviewIn({}, each.plan);
    EXPECT_EQ(preview.condition.executable, each.reason == kApproved);
    EXPECT_EQ(preview.condition.reason, each.reason);
    EXPECT_THAT(preview.condition.message, HasSubstr(each.message));
    EXPECT_EQ(Words(preview), each.words);
  }
}

TEST(PlanOutlookTest, WhatOneStepIsCalledIsNotRepeatedInFullByAll) {
  const std::string name(10'000, 'n');
  const std::string monitor = StepJson("monitoring.coreos.com", "ServiceMonitor", "m");
  const struct {
    const char* what;
    PlanFactsPtr plan;
  } rows[] = {
      {"a kind that no plan installs", PlanOf({StepJson("example.com", name, name), monitor})},
      {"a status that is none", PlanOf({StepJson("", "ConfigMap", name, {"Odd"}), monitor})},
      {"an API that is absent",
       PlanOf({StepJson("monitoring.coreos.com", "PrometheusRule", name), monitor})},
  };
  for (const auto& row : rows) {
    const PlanPreview preview = PreviewOf(PlanOutlook::Of(row.plan, ServedKinds()), false);
    EXPECT_LT(preview.condition.message.size(), 1'000u) << row.what;
    ASSERT_EQ(preview.steps.size(), 2u) << row.what;
    EXPECT_EQ(preview.steps[1].outcome, Outcome::kBlocked) << row.what;
    EXPECT_FALSE(preview.steps[1].message.empty()) << row.what;
    EXPECT_LT(preview.steps[1].message.size(), 1'000u) << row.what;
  }
}

TEST(PlanOutlookTest, PropertiesThatCannotBeReadMatterToTheGate) {
  const PlanFactsPtr plan =
      PlanOf({StepJson("", "ConfigMap", "c")},
             {.status = R"(,"bundleLookups":[{"identifier":"a","properties":"[]"}])"});
  EXPECT_THAT(Words(PreviewIn({}, plan, false)), ElementsAre("Create CreatedOrUpdated"));
  EXPECT_THAT(Words(PreviewIn({}, plan, true)), ElementsAre("Blocked InvalidPlan"));
}

TEST(PlanOutlookTest, WhatTheGroupsComeTo) {
  const std::string step = StepJson("", "ConfigMap", "c");
  const std::string done = StepJson("", "ConfigMap", "d", {.status = "Created"});
  constexpr char kPending[] = R"(,"bundleLookups":[{"identifier":"a","conditions":[)"
                              R"({"type":"BundleLookupPending","status":"True"}]}])";
  const struct {
    const char* what;
    PlanFactsPtr plan;
    GroupChoice group;
    std::string_view reason;  // the reason of the condition
    std::vector<std::string> words;
  } rows[] = {
      {"one", PlanOf({step}), {"", "g", ""}, kApproved, {"Create CreatedOrUpdated"}},
      {"none",
       PlanOf({step, done}),
       {"no group", "", ""},
       kInstallCheckFailed,
       {"Blocked InstallCheckFailed", "Unchanged StepIsDone"}},
      {"none, and no approval",
       PlanOf({step}, {.approved = false}),
       {"no group", "", ""},
       kInstallCheckFailed,
       {"Blocked InstallCheckFailed"}},
      {"none, and complete",
       PlanOf({done}, {.phase = "Complete"}),
       {"no group", "", ""},
       kPlanIsComplete,
       {"Unchanged StepIsDone"}},
      {"one with an account",
       PlanOf({step, done}),
       {"", "g", "deployer"},
       kApproved,
       {"Unknown AccountUnknown", "Unchanged StepIsDone"}},
      {"a bundle that is not unpacked",
       PlanOf({step}, {.status = kPending}),
       {"", "g", ""},
       kInstallCheckFailed,
       {"Blocked InstallCheckFailed"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const PlanPreview preview =
        PreviewOf(PlanOutlook::Of(row.plan, ServedKinds(), row.group), false);
    EXPECT_EQ(preview.condition.reason, row.reason);
    EXPECT_EQ(Words(preview), row.words);
    for (const PreviewStep& each : preview.steps) {
      EXPECT_THAT(each.message, ::testing::Not(HasSubstr("deployer"))) << "others read it, too";
    }
  }
}

TEST(PlanOutlookTest, ADefinitionThatIsThereIsNotKnownToBeReplaced) {
  const std::string text =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"x.monitoring.coreos.com"},"spec":{"group":"monitoring.coreos.com",)"
      R"("scope":"Namespaced","names":{"kind":"ServiceMonitor"},)"
      R"("versions":[{"name":"v1","served":true}]}})";
  const PlanFactsPtr plan = PlanOf({StepJson(kExtensions, "CustomResourceDefinition",
                                             "x.monitoring.coreos.com", {.manifest = text}),
                                    StepJson(kMonitoring, "ServiceMonitor", "m")});
  const PlanPreview there = PreviewIn({DefinitionOf(kMonitoring, "ServiceMonitor")}, plan);
  EXPECT_THAT(Words(there), ElementsAre("Unknown DefinitionIsThere", "Create CreatedOrUpdated"));
  EXPECT_EQ(there.steps[0].ns, "");
  EXPECT_THAT(Words(PreviewIn({}, plan)), ::testing::Each("Create CreatedOrUpdated"));
}

TEST(PlanOutlookTest, EqualOnlyWherePreviewsAre) {
  const std::string step = StepJson(kMonitoring, "ServiceMonitor", "m");
  const DefinitionFactsPtr definition = DefinitionOf(kMonitoring, "ServiceMonitor");
  ServedKinds served, nothing, others;
  served.Add(*definition);
  const DefinitionFactsPtr other = DefinitionOf("example.com", "Reed");
  others.Add(*other);
  const PlanOutlook outlook = PlanOutlook::Of(PlanOf({step}), nothing);
  EXPECT_EQ(outlook, PlanOutlook::Of(PlanOf({step}), others));
  EXPECT_FALSE(outlook == PlanOutlook::Of(PlanOf({step}), served));
  EXPECT_FALSE(outlook == PlanOutlook::Of(PlanOf({step}), nothing, {"", "g", "deployer"}));
  EXPECT_FALSE(outlook == PlanOutlook::Of(PlanOf({step}, {.phase = "Failed"}), nothing));
}

}  // namespace
}  // namespace steward::olm

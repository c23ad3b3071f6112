#include "olm/plan/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::object Parsed(const std::string& text) { return json::parse(text).as_object(); }

json::object Manifest(const std::string& api_version, const std::string& kind,
                      const std::string& name) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

// A ClusterServiceVersion with this install strategy.
json::object Csv(const std::string& strategy) {
  json::object csv = Manifest("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "reed.v1");
  csv["spec"] = {{"install", {{"spec", json::parse(strategy)}}}};
  return csv;
}

std::vector<std::string> Named(const std::vector<PlanStep>& steps) {
  std::vector<std::string> names;
  for (const PlanStep& step : steps) {
    names.push_back(StrCat(step.gvk.kind, " ", step.name, step.optional ? " optional" : ""));
  }
  return names;
}

TEST(StepsOfTest, R_002_22_24_OrderAndOptionality) {
  OptionalManifests declared;
  ASSERT_OK(declared.AddText(R"({"properties":[{"type":"olm.manifests.optional","value":
    {"manifests":[{"group":"m.io","kind":"ServiceMonitor","name":"m"},
                  {"kind":"Secret","name":"s"},{"kind":"ServiceAccount","name":"runner"}]}}]})"));
  const json::object monitor = Manifest("m.io/v1", "ServiceMonitor", "m");
  ASSERT_OK_AND_ASSIGN(
      const std::vector<PlanStep> steps,
      StepsOf({monitor, Manifest("m.io/v1", "ServiceMonitor", "n"), Manifest("v1", "Secret", "s"),
               Manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", "b"),
               Csv(R"({"permissions":[{"serviceAccountName":"runner","rules":[]}]})"),
               Manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", "a")},
              declared, "ops"));
  ASSERT_EQ(steps.size(), 9U);
  const std::string role = steps[7].name;
  EXPECT_THAT(role, ::testing::MatchesRegex("reed\\.v1-runner-[0-9a-f]{10}"));
  // Generated steps are never optional, whatever is declared of their names.
  EXPECT_THAT(Named(steps),
              ElementsAre("ClusterServiceVersion reed.v1", "CustomResourceDefinition b",
                          "CustomResourceDefinition a", "ServiceMonitor m optional",
                          "ServiceMonitor n", "BundleSecret s optional", "ServiceAccount runner",
                          StrCat("Role ", role), StrCat("RoleBinding ", role)));
  EXPECT_EQ(Parsed(steps[3].manifest), monitor);
  for (const PlanStep& step : steps) {
    EXPECT_EQ(step.resolving, "reed.v1");
    EXPECT_EQ(step.status, kStepUnknown);
  }
}

constexpr char kRights[] = R"({
  "permissions": [
    {"serviceAccountName": "runner", "rules": [{"verbs": ["get"], "resources": ["pods"]}]},
    {"serviceAccountName": "default", "rules": [{"verbs": ["list"], "resources": ["pods"]}]}],
  "clusterPermissions": [
    {"serviceAccountName": "runner", "rules": [{"verbs": ["get"], "resources": ["nodes"]}]}]})";

// The generated objects by kind; the last one of each kind.
std::map<std::string, PlanStep> Generated(const std::string& ns) {
  std::map<std::string, PlanStep> by_kind;
  const auto steps = StepsOf({Csv(kRights)}, OptionalManifests(), ns);
  if (!steps.ok()) return by_kind;
  for (const PlanStep& step : *steps) by_kind[step.gvk.kind] = step;
  return by_kind;
}

TEST(StepsOfTest, PermissionsBecomeObjects) {
  ASSERT_OK_AND_ASSIGN(const std::vector<PlanStep> steps,
                       StepsOf({Csv(kRights)}, OptionalManifests(), "ops"));
  std::vector<std::string> kinds;
  for (const PlanStep& step : steps) kinds.push_back(step.gvk.kind);
  EXPECT_THAT(kinds, ElementsAre("ClusterServiceVersion", "ServiceAccount", "Role", "RoleBinding",
                                 "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"));
  EXPECT_NE(steps[2].name, steps[4].name);
  const json::object binding = Parsed(steps[7].manifest);
  EXPECT_EQ(binding.at("roleRef"),
            Parsed(StrCat(R"({"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)",
                          R"("name":")", steps[6].name, "\"}")));
  EXPECT_EQ(Serialize(binding.at("subjects")),
            R"([{"kind":"ServiceAccount","name":"runner","namespace":"ops"}])");
  EXPECT_EQ(Serialize(Parsed(steps[6].manifest).at("rules")),
            R"([{"verbs":["get"],"resources":["nodes"]}])");
}

// The objects of one namespace must not take the place of another's.
TEST(StepsOfTest, ClusterWideNamesBelongToTheNamespace) {
  std::map<std::string, PlanStep> ops = Generated("ops");
  std::map<std::string, PlanStep> fern = Generated("fern");
  for (const char* kind : {"ClusterRole", "ClusterRoleBinding"}) {
    EXPECT_NE(ops[kind].name, fern[kind].name) << kind;
    EXPECT_EQ(ops[kind], Generated("ops")[kind]) << "the same each time";
  }
}

// A binding that took another's name would take its account's rights away.
TEST(StepsOfTest, LongNamesDoNotCollide) {
  const std::string rules = R"("rules":[{"verbs":["get"],"resources":["pods"]}])";
  json::object csv = Csv(StrCat(R"({"permissions":[{"serviceAccountName":"a",)", rules,
                                R"(},{"serviceAccountName":"b",)", rules,
                                R"(},{"serviceAccountName":"b",)", rules, "}]}"));
  std::map<std::string, int> bindings;
  for (const char* version : {".v1", ".v2"}) {
    csv["metadata"].as_object()["name"] = std::string(55, 'r') + version;
    ASSERT_OK_AND_ASSIGN(const std::vector<PlanStep> steps,
                         StepsOf({csv}, OptionalManifests(), "ops"));
    EXPECT_EQ(steps.size(), 7U) << "what is said twice is one role";
    for (const PlanStep& step : steps) {
      if (step.gvk.kind == "RoleBinding") ++bindings[step.name];
    }
  }
  EXPECT_EQ(bindings.size(), 4U);
}

TEST(StepsOfTest, AnAccountIsMadeOnce) {
  const json::object account = Manifest("v1", "ServiceAccount", "runner");
  ASSERT_OK_AND_ASSIGN(const std::vector<PlanStep> steps,
                       StepsOf({account, Csv(kRights)}, OptionalManifests(), "ops"));
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(),
                          [](const PlanStep& step) { return step.gvk.kind == "ServiceAccount"; }),
            1);
}

TEST(StepsOfTest, Refused) {
  struct Case {
    std::vector<json::object> manifests;
    const char* error;
  };
  const std::vector<Case> cases = {
      {{}, "has no ClusterServiceVersion"},
      {{Manifest("v1", "Secret", "s")}, "has no ClusterServiceVersion"},
      {{Csv("{}"), Csv("{}")}, "more than one ClusterServiceVersion"},
      {{Csv("{}"), Parsed(R"({"kind":"A","metadata":{"name":"a"}})")}, "apiVersion is missing"},
      {{Csv("{}"), Parsed(R"({"apiVersion":"v1","metadata":{"name":"a"}})")}, "kind is missing"},
      {{Csv("{}"), Parsed(R"({"apiVersion":"v1","kind":"A"})")}, "metadata.name is missing"},
      {{Parsed(R"({"kind":"ClusterServiceVersion","metadata":{"name":"a"}})")},
       "apiVersion is missing"},
      {{Csv(R"({"clusterPermissions":[{"serviceAccountName":"a","rules":"all"}]})")},
       "ClusterServiceVersion reed.v1: "
       "spec.install.spec.clusterPermissions[0].rules: must be a list"},
      {{Csv(R"({"permissions":[{"serviceAccountName":"","rules":[]}]})")}, "must not be empty"},
  };
  for (const Case& each : cases) {
    EXPECT_THAT(StepsOf(each.manifests, OptionalManifests(), "ops"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(each.error)));
  }
  for (const char* strategy : {"null", "{}", R"({"permissions":null})"}) {
    EXPECT_OK(StepsOf({Csv(strategy)}, OptionalManifests(), "ops")) << strategy;
  }
}

// Case 71-bundle-csv-version, 74-bundle-as-olm-takes: published bundles have all of these.
TEST(StepsOfTest, GroupAndVersionFollowFromTheKind) {
  json::object csv = Csv("{}");
  csv["apiVersion"] = "binding.operators.coreos.com/v1alpha1";
  json::object bare = Manifest("", "ClusterRole", "bare");
  bare.erase("apiVersion");
  ASSERT_OK_AND_ASSIGN(
      const std::vector<PlanStep> steps,
      StepsOf({csv, bare, Manifest("rbac.authorization.k8s.io/v1beta1", "ClusterRole", "old")},
              OptionalManifests(), "ops"));
  std::vector<std::string> versions;
  for (const PlanStep& step : steps) {
    versions.push_back(step.gvk.ApiVersion());
    EXPECT_EQ(Parsed(step.manifest).at("apiVersion").as_string(), step.gvk.ApiVersion());
  }
  EXPECT_THAT(versions, ElementsAre("operators.coreos.com/v1alpha1", "rbac.authorization.k8s.io/v1",
                                    "rbac.authorization.k8s.io/v1"));
}

}  // namespace
}  // namespace steward::olm

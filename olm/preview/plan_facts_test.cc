#include "olm/preview/plan_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/json/utf8.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "olm/plan/install_plan.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// Returns a step with this group, kind and name, and version "v1".
std::string StepJson(const std::string& group, const std::string& kind, const std::string& name,
                     const std::string& manifest, const std::string& more = "") {
  return StrCat(R"({"resolving":"reed.v1","status":"Unknown","resource":{"group":")", group,
                R"(","version":"v1","kind":")", kind, R"(","name":")", name, R"(","manifest":")",
                Escaped(manifest), R"("})", more, "}");
}
std::string PlanJson(const std::string& steps, const std::string& status = "") {
  return StrCat(R"({"metadata":{"name":"install-a","namespace":"ops","uid":"u1",)",
                R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"color":"red"}},)",
                R"("spec":{"approved":true,"clusterServiceVersionNames":["reed.v1"]},)",
                R"("status":{"phase":"Installing",)", status, R"("plan":[)", steps, "]}}");
}
constexpr char kConfigMap[] = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})";
constexpr char kMonitor[] =
    R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor","metadata":{"name":"m"}})";
constexpr char kProperties[] =
    R"({"properties":[{"type":"olm.manifests.optional","value":{"manifests":[)"
    R"({"group":"monitoring.coreos.com","kind":"ServiceMonitor","name":"m"}]}}]})";
constexpr char kReedDefinition[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"reeds.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
    R"("names":{"plural":"reeds","kind":"Reed"},"versions":[{"name":"v1","served":true},)"
    R"({"name":"v1alpha1","served":false}]}})";

TEST(PlanFactsTest, Read) {
  ASSERT_OK_AND_ASSIGN(
      const PlanFactsPtr plan,
      DecodePlan(PlanJson(StrCat(StepJson("", "ConfigMap", "c", kConfigMap), ",",
                                 StepJson("monitoring.coreos.com", "ServiceMonitor", "m", kMonitor,
                                          R"(,"optional":true)")))));
  EXPECT_EQ(plan->key.ns, "ops");
  EXPECT_EQ(plan->key.name, "install-a");
  EXPECT_EQ(plan->uid, "u1");
  EXPECT_EQ(plan->created, "2026-01-02T03:04:05Z");
  EXPECT_THAT(plan->labels, ElementsAre(Pair("color", "red")));
  EXPECT_TRUE(plan->approved);
  EXPECT_EQ(plan->phase, "Installing");
  EXPECT_THAT(plan->csv_names, ElementsAre("reed.v1"));
  ASSERT_EQ(plan->steps.size(), 2u);
  EXPECT_EQ(plan->steps[0].ToString(0), "step 1, ConfigMap c");
  EXPECT_EQ(plan->steps[0].resolving, "reed.v1");
  EXPECT_FALSE(plan->steps[0].declared_optional);
  EXPECT_EQ(plan->steps[1].group, "monitoring.coreos.com");
  EXPECT_EQ(plan->steps[1].status, "Unknown");
  EXPECT_TRUE(plan->steps[1].declared_optional);
  EXPECT_EQ(plan->steps[0].resolving.data(), plan->steps[1].resolving.data()) << "stored once";
  EXPECT_EQ(plan->fault_step, PlanFacts::kNoStep);
  EXPECT_EQ(plan->texts.find("metadata"), std::string::npos) << "manifests are not kept";
}

TEST(PlanFactsTest, EqualWhereWhatIsReadIsEqual) {
  const std::string steps = StepJson("", "ConfigMap", "c", kConfigMap);
  const PlanFactsPtr plan = *DecodePlan(PlanJson(steps));
  EXPECT_EQ(*plan, **DecodePlan(PlanJson(steps, R"("startTime":"2026-01-02T03:04:05Z",)")));
  EXPECT_FALSE(*plan == **DecodePlan(PlanJson(StepJson("", "ConfigMap", "d", kConfigMap))));
}

TEST(PlanFactsTest, R_002_08_PropertiesDeclareManifestsOptional) {
  const std::string monitor = StepJson("monitoring.coreos.com", "ServiceMonitor", "m", kMonitor);
  const std::string lookups = StrCat(R"("bundleLookups":[{"identifier":"reed.v1","properties":")",
                                     Escaped(kProperties), R"("}],)");
  EXPECT_TRUE((*DecodePlan(PlanJson(monitor, lookups)))->steps[0].declared_optional);
  // A step that refers to a bundle, so that its manifest's namespace is not known.
  const std::string reference =
      StrCat(R"({"kind":"ConfigMap","name":"b","namespace":"olm","properties":")",
             Escaped(kProperties), R"("})");
  const PlanFactsPtr plan =
      *DecodePlan(PlanJson(StepJson("monitoring.coreos.com", "ServiceMonitor", "m", reference)));
  EXPECT_TRUE(plan->steps[0].elsewhere);
  EXPECT_TRUE(plan->steps[0].declared_optional);
}

TEST(PlanFactsTest, DefinitionsThatThePlanBrings) {
  const PlanFactsPtr plan = *DecodePlan(PlanJson(
      StrCat(StepJson("apiextensions.k8s.io", "CustomResourceDefinition", "reeds.example.com",
                      kReedDefinition),
             ",",
             StepJson("apiextensions.k8s.io", "CustomResourceDefinition", "rushes.example.org",
                      R"({"kind":"ConfigMap","name":"b","namespace":"olm"})"))));
  ASSERT_EQ(plan->brought.size(), 2u);
  EXPECT_EQ(plan->brought[0], (PlanFacts::Brought{"example.com", "Reed", {"v1"}, true}));
  EXPECT_EQ(plan->brought[1], (PlanFacts::Brought{"example.org", "", {}, false}));
}

TEST(PlanFactsTest, FaultsAreKept) {
  struct Case {
    const char* what;
    std::string json;
    std::string fault;
    std::string step_fault;
    std::string properties_fault;
  };
  const Case cases[] = {
      {"a field of a wrong type", PlanJson("null"), "status.plan[0]: must be an object", "", ""},
      {"no manifest", PlanJson(StepJson("", "ConfigMap", "c", "")), "", "the step has no manifest",
       ""},
      {"of another kind", PlanJson(StepJson("", "Secret", "c", kConfigMap)), "",
       "the manifest is ConfigMap in v1, not Secret in v1", ""},
      {"no definition",
       PlanJson(StepJson("apiextensions.k8s.io", "CustomResourceDefinition", "c",
                         R"({"apiVersion":"apiextensions.k8s.io/v1",)"
                         R"("kind":"CustomResourceDefinition"})")),
       "", "a definition must have metadata.name", ""},
      {"properties",
       PlanJson(StepJson("", "ConfigMap", "c",
                         R"({"kind":"ConfigMap","name":"b","namespace":"n","properties":"[]"})")),
       "", "", "the properties in step 1, ConfigMap c: properties: must be in an object"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    ASSERT_OK_AND_ASSIGN(const PlanFactsPtr plan, DecodePlan(each.json));
    EXPECT_EQ(plan->fault, each.fault);
    EXPECT_THAT(plan->step_fault, HasSubstr(each.step_fault));
    EXPECT_EQ(plan->fault_step == 0u, !each.step_fault.empty());
    EXPECT_EQ(plan->properties_fault, each.properties_fault);
  }
}

TEST(PlanFactsTest, LongFaultsAreCutBetweenCharacters) {
  for (const std::string before : {"", "x"}) {
    std::string kind = before;
    while (kind.size() < 400) kind += "ü";
    const std::string manifest = StrCat(R"({"apiVersion":"v1","kind":")", kind, R"("})");
    ASSERT_OK_AND_ASSIGN(const PlanFactsPtr plan,
                         DecodePlan(PlanJson(StepJson("", "ConfigMap", "c", manifest))));
    const std::string& fault = plan->step_fault;
    EXPECT_LT(fault.size(), 310u);
    size_t at = 0;
    while (at < fault.size()) {
      const size_t length = DecodeUtf8(fault, at).length;
      ASSERT_GT(length, 0u) << "at " << at << " of " << fault;
      at += length;
    }
  }
}

TEST(PlanFactsTest, ManifestsOfStepsThatHaveEndedDoNotMatter) {
  std::string json = PlanJson(StepJson("", "ConfigMap", "c", "no JSON"));
  json.replace(json.find("Unknown"), 7, "Created");
  EXPECT_EQ((*DecodePlan(json))->fault_step, PlanFacts::kNoStep);
}

TEST(PlanFactsTest, WithoutANameThereIsNoPlan) {
  for (const char* json : {"", "[]", "{}", R"({"metadata":{"name":"a","namespace":"b"}})",
                           R"({"metadata":{"name":"a","uid":"b"}})"}) {
    EXPECT_THAT(DecodePlan(json), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")))
        << json;
  }
}

TEST(DefinitionFactsTest, ServesOnceEstablished) {
  const std::string text = kReedDefinition;
  ASSERT_OK_AND_ASSIGN(const DefinitionFactsPtr before, DecodeDefinition(text));
  EXPECT_EQ(before->name, "reeds.example.com");
  EXPECT_EQ(before->kind, "Reed");
  EXPECT_TRUE(before->namespaced);
  EXPECT_THAT(before->served, IsEmpty());
  const std::string established =
      StrCat(text.substr(0, text.size() - 1),
             R"(,"status":{"conditions":[{"type":"Established","status":"True"},)",
             R"({"type":"NamesAccepted","status":"True"}]}})");
  EXPECT_THAT((*DecodeDefinition(established))->served, ElementsAre("v1"));
  for (const char* json : {"", "[]", "{}", R"({"metadata":{"name":"a.b"},"spec":{"group":"b"}})"}) {
    EXPECT_FALSE(DecodeDefinition(json).ok()) << json;
  }
}

TEST(PlanFactsTest, SizesFollowTheSteps) {
  std::string steps;
  for (int i = 0; i < 20; ++i) {
    StrAppend(&steps, i == 0 ? "" : ",",
              StepJson("rbac.authorization.k8s.io", "ClusterRole", StrCat("reed-manager-", i),
                       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole"})"));
  }
  const PlanFactsPtr plan = *DecodePlan(PlanJson(steps));
  // So 10,000 plans of 20 steps take at most 35 MB.
  EXPECT_LT(SizeOf(*plan), 3500u);
  EXPECT_GT(SizeOf(*plan), 20 * sizeof(PlanFacts::Step));
}

}  // namespace
}  // namespace steward::olm

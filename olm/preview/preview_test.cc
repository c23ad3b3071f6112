#include "olm/preview/preview.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace steward::olm {
namespace {

namespace json = boost::json;

std::vector<PreviewStep> TwoSteps() {
  PreviewStep full;
  full.index = 4;
  full.resolving = "reed.v1";
  full.gvk = {"monitoring.coreos.com", "v1", "ServiceMonitor"};
  full.ns = "ops";
  full.name = "reed";
  full.declared_optional = full.optional = true;
  full.outcome = Outcome::kUpdate;
  full.basis = Basis::kDryRun;
  full.reason = "Changed";
  full.code = 200;
  full.message = "it \"changes\"";
  full.changed_fields = {"spec.a", "spec.b"};
  full.changes = {{"spec.a", "1", R"({"c":[]})"}, {"spec.b", "", "null", true}, {"", "", R"("x")"}};
  full.warnings = {"it is \"old\"", "w"};
  full.status = "Unknown";
  PreviewStep bare;
  bare.index = 0;
  bare.gvk = {"", "v1", "ConfigMap"};
  bare.name = "c";
  return {full, bare};
}

TEST(PreviewTest, StepsAsJson) {
  std::string text;
  AppendSteps(TwoSteps(), text);
  EXPECT_EQ(json::parse(text), json::parse(R"([
    {"index": 5, "resolving": "reed.v1", "group": "monitoring.coreos.com", "version": "v1",
     "kind": "ServiceMonitor", "namespace": "ops", "name": "reed", "declaredOptional": true,
     "optional": true, "outcome": "Update", "basis": "DryRun", "reason": "Changed", "code": 200,
     "message": "it \"changes\"", "changedFields": ["spec.a", "spec.b"], "changes": [
       {"path": "spec.a", "before": 1, "after": {"c": []}},
       {"path": "spec.b", "after": null, "cut": true}, {"after": "x"}],
     "status": "Unknown", "warnings": ["it is \"old\"", "w"]},
    {"index": 1, "group": "", "version": "v1", "kind": "ConfigMap", "name": "c",
     "declaredOptional": false, "optional": false, "outcome": "Unknown", "basis": "Rule"}])"));
  text.clear();
  AppendSteps({}, text);
  EXPECT_EQ(text, "[]");
}

TEST(PreviewTest, SummariesCountEachOutcome) {
  const PreviewSummary summary = PreviewSummary::Of(TwoSteps());
  EXPECT_EQ(summary[Outcome::kUpdate], 1u);
  EXPECT_EQ(summary[Outcome::kFail], 0u);
  std::string text;
  AppendSummary(summary, text);
  EXPECT_EQ(text, R"({"create":0,"update":1,"unchanged":0,"notCreated":0,"delete":0,"keep":0,)"
                  R"("blocked":0,"fail":0,"unknown":1})");
}

TEST(PreviewTest, EachOutcomeHasAWord) {
  EXPECT_EQ(ToString(Outcome::kCreate), "Create");
  EXPECT_EQ(ToString(Outcome::kNotCreated), "NotCreated");
  EXPECT_EQ(ToString(Outcome::kUnknown), "Unknown");
  EXPECT_EQ(ToString(Basis::kRule), "Rule");
}

}  // namespace
}  // namespace steward::olm

#include "olm/preview/preview.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kube/meta/status.h"
#include "olm/resources.h"

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

TEST(PreviewTest, AConditionAsJson) {
  std::string text;
  AppendConditions({false, "Refused", "not \"now\""}, text);
  EXPECT_EQ(text, R"([{"message":"not \"now\"","reason":"Refused","status":"False",)"
                  R"("type":"Executable"}])");
  text.clear();
  AppendConditions({true, "", ""}, text);
  EXPECT_EQ(text, R"([{"reason":"","status":"True","type":"Executable"}])");
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

TEST(PreviewTest, APageFollowsThoseBeforeIt) {
  PlanPreview whole;
  PlanPreview page;
  page.condition = {true, "CopiesChange", "4 copies"};
  page.Add({"", "v1", "ConfigMap"}, {"a", "one"}, "").outcome = Outcome::kDelete;
  page.hidden = 1;
  page.remaining = 3;
  whole.Append(page);
  EXPECT_EQ(whole.condition, page.condition);
  PlanPreview failing = page;
  failing.condition = {false, "StepsFail", "4 copies"};
  failing.steps[0].outcome = Outcome::kFail;
  failing.remaining = 0;
  whole.Append(failing);
  whole.Append(page);
  EXPECT_EQ(whole.condition, failing.condition);
  EXPECT_EQ(whole.steps.size(), 3u);
  EXPECT_EQ(whole.steps[2].index, 2u);
  EXPECT_EQ(whole.hidden, 3);
  EXPECT_EQ(whole.remaining, 3);
}

TEST(PreviewTest, AnswersToDryRuns) {
  const struct {
    absl::Status answer;
    Outcome outcome;
    Basis basis;
    const char* reason;
    int code;
    const char* message;
  } rows[] = {
      {absl::OkStatus(), Outcome::kDelete, Basis::kDryRun, "mine", 0, "my own"},
      {kube::ToStatus(kube::Forbidden(kCsvs, "w", "no")), Outcome::kFail, Basis::kDryRun,
       "Forbidden", 403, "no"},
      {kube::ToStatus(kube::BadRequest("it does not support dry run")), Outcome::kUnknown,
       Basis::kRule, "WebhookWithoutDryRun", 0, "does not support"},
      {kube::ToStatus(kube::ServiceUnavailable("busy", 1)), Outcome::kUnknown, Basis::kRule,
       "NoAnswer", 0, "busy"},
      {absl::UnavailableError("no route"), Outcome::kUnknown, Basis::kRule, "NoAnswer", 0,
       "no route"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.message);
    PreviewStep step;
    step.reason = "mine";
    step.message = "my own";
    SayAnswer(row.answer, Outcome::kDelete, step);
    EXPECT_EQ(step.outcome, row.outcome);
    EXPECT_EQ(step.basis, row.basis);
    EXPECT_EQ(step.reason, row.reason);
    EXPECT_EQ(step.code, row.code);
    EXPECT_NE(step.message.find(row.message), std::string::npos);
  }
}

}  // namespace
}  // namespace steward::olm

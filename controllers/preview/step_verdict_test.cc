#include "controllers/preview/step_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "kube/meta/status.h"
#include "olm/plan/answer.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using olm::Basis;
using olm::Outcome;
using olm::StepKind;
using olm::StepWrite;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

absl::Status Answer(int code, const std::string& reason, const std::string& message = "m") {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = message;
  return kube::ToStatus(status);
}

StepOutcome Refused(const absl::Status& answer, StepWrite write = StepWrite::kCreate) {
  StepOutcome outcome;
  outcome.verdict = olm::ClassifyAnswer(answer, write);
  outcome.answer = answer;
  outcome.existed = write == StepWrite::kUpdate;
  return outcome;
}

olm::PreviewStep Step(bool optional) {
  olm::PreviewStep step;
  step.optional = optional;
  step.changed_fields = {"old"};
  step.changes = {olm::PreviewChange{"old"}};
  return step;
}

TEST(StepVerdictTest, Refusals) {
  struct Row {
    const char* name;
    absl::Status answer;
    bool optional;
    Outcome outcome;
    Basis basis;
    std::string reason;
    int code;
  };
  const std::vector<Row> rows = {
      {"mandatory", Answer(403, "Forbidden"), false, Outcome::kFail, Basis::kDryRun, "Forbidden",
       403},
      {"optional", Answer(403, "Forbidden"), true, Outcome::kNotCreated, Basis::kDryRun,
       "Forbidden", 403},
      {"optional, but an error", Answer(400, "BadRequest"), true, Outcome::kFail, Basis::kDryRun,
       "BadRequest", 400},
      {"invalid", Answer(422, "Invalid"), false, Outcome::kFail, Basis::kDryRun, "Invalid", 422},
      {"without a reason", Answer(418, ""), false, Outcome::kFail, Basis::kDryRun, "Code418", 418},
      {"webhook", Answer(400, "BadRequest", R"(admission webhook "w" does not support dry run)"),
       true, Outcome::kUnknown, Basis::kRule, "WebhookWithoutDryRun", 400},
      {"busy", Answer(429, "TooManyRequests"), true, Outcome::kUnknown, Basis::kRule,
       "TooManyRequests", 429},
      {"broken", Answer(500, "InternalError"), false, Outcome::kUnknown, Basis::kRule,
       "InternalError", 500},
      {"silent", absl::UnavailableError("connection refused"), false, Outcome::kUnknown,
       Basis::kRule, "NoAnswer", 0},
      {"changed meanwhile", absl::AbortedError("it has changed"), false, Outcome::kUnknown,
       Basis::kRule, "NoAnswer", 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    olm::PreviewStep step = Step(row.optional);
    ConcludeDryRun(Refused(row.answer), StepKind::kOther, {}, step);
    EXPECT_EQ(step.outcome, row.outcome);
    EXPECT_EQ(step.basis, row.basis);
    EXPECT_EQ(step.reason, row.reason);
    EXPECT_EQ(step.code, row.code);
    EXPECT_NE(step.message, "");
    EXPECT_THAT(step.changed_fields, IsEmpty());
    EXPECT_THAT(step.changes, IsEmpty());
  }
}

TEST(StepVerdictTest, AConflictOfAnUpdateTellsNothing) {
  olm::PreviewStep step = Step(true);
  ConcludeDryRun(Refused(Answer(409, "Conflict"), StepWrite::kUpdate), StepKind::kOther, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kUnknown);
  ConcludeDryRun(Refused(Answer(409, "Conflict")), StepKind::kOther, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kNotCreated);
}

TEST(StepVerdictTest, Successes) {
  StepOutcome dry;
  dry.verdict = olm::AnswerVerdict::kCreated;
  olm::PreviewStep step = Step(false);
  ConcludeDryRun(dry, StepKind::kOther, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kCreate);
  EXPECT_EQ(step.reason, olm::kAccepted);

  dry.verdict = olm::AnswerVerdict::kExists;
  ConcludeDryRun(dry, StepKind::kCsv, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kUnchanged);
  EXPECT_EQ(step.reason, kStaysAsItIs);

  dry.object = json::parse(R"({"spec":{"a":1,"b":1}})");
  ConcludeDryRun(dry, StepKind::kOther, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kUnchanged) << "nothing was written";
  EXPECT_EQ(step.reason, kPresent);

  dry.before = json::parse(R"({"spec":{"a":2,"b":2}})");
  ConcludeDryRun(dry, StepKind::kOther, {.fields = 1}, step);
  EXPECT_EQ(step.outcome, Outcome::kUpdate);
  EXPECT_EQ(step.basis, Basis::kDryRun);
  EXPECT_THAT(step.changed_fields, ElementsAre("spec.a"));
  EXPECT_THAT(step.changes, ElementsAre(olm::PreviewChange{"spec.a", "2", "1"}));
  EXPECT_EQ(step.message, "1 more fields change");

  ConcludeDryRun(dry, StepKind::kOther, {.bytes = 0}, step);
  EXPECT_THAT(step.changed_fields, ElementsAre("spec.a", "spec.b"));
  EXPECT_THAT(step.changes, IsEmpty());

  dry.before = dry.object;
  ConcludeDryRun(dry, StepKind::kOther, {}, step);
  EXPECT_EQ(step.outcome, Outcome::kUnchanged);
}

// A Secret is recognized by the kind in the plan, whatever kind the server's answer has.
TEST(StepVerdictTest, SecretsAreMasked) {
  for (const char* kind : {"Secret", "BundleSecret"}) {
    SCOPED_TRACE(kind);
    olm::PreviewStep step = Step(false);
    step.gvk = {"", "v1", kind};
    StepOutcome dry;
    dry.verdict = olm::AnswerVerdict::kCreated;
    dry.object = json::parse(R"({"data":{"a":"c2VjcmV0"}})");
    ConcludeDryRun(dry, StepKind::kBuiltIn, {}, step);
    EXPECT_THAT(step.changes, ElementsAre(olm::PreviewChange{"", "", R"({"data":{"a":"***"}})"}));
    dry.verdict = olm::AnswerVerdict::kExists;
    dry.before = json::parse(R"({"data":{"a":"b2xk","b":"eA=="}})");
    ConcludeDryRun(dry, StepKind::kBuiltIn, {}, step);
    EXPECT_THAT(step.changes, ElementsAre(olm::PreviewChange{"data.a", R"j("*** (before)")j",
                                                             R"j("*** (after)")j"},
                                          olm::PreviewChange{"data.b", R"("***")", ""}));
    EXPECT_THAT(step.changed_fields, ElementsAre("data.a", "data.b"));
  }
}

TEST(StepVerdictTest, Warnings) {
  olm::PreviewStep step = Step(false);
  std::vector<std::string> many = {"old", "old", std::string(1000, 'x'), "two\nlines"};
  AddWarnings(many, step);
  AddWarnings({"old"}, step);
  ASSERT_EQ(step.warnings.size(), 3u);
  EXPECT_EQ(step.warnings[0], "old");
  EXPECT_LE(step.warnings[1].size(), 303u);
  EXPECT_EQ(step.warnings[2], "two lines");
  for (int i = 0; i < 20; ++i) AddWarnings({std::to_string(i)}, step);
  EXPECT_EQ(step.warnings.size(), 10u);
  SetOutcome(step, Outcome::kBlocked, Basis::kRule, "EarlierStepFails");
  EXPECT_THAT(step.warnings, IsEmpty());
}

TEST(StepVerdictTest, Rules) {
  struct Row {
    absl::Status error;
    Outcome outcome;
    std::string reason;
    int code;
  };
  const std::vector<Row> rows = {
      {absl::FailedPreconditionError("it is a copy"), Outcome::kFail, "RefusedByRule", 0},
      {absl::NotFoundError("its owner is not there"), Outcome::kFail, "RefusedByRule", 0},
      {absl::InvalidArgumentError("metadata.name"), Outcome::kFail, "InvalidManifest", 0},
      {absl::UnavailableError("no connection"), Outcome::kUnknown, "NoAnswer", 0},
      {absl::DataLossError("no JSON"), Outcome::kUnknown, "NoAnswer", 0},
      {Answer(503, "ServiceUnavailable"), Outcome::kUnknown, "ServiceUnavailable", 503},
      {Answer(403, "Forbidden"), Outcome::kFail, "Forbidden", 403},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.error.ToString());
    olm::PreviewStep step = Step(true);
    ConcludeByRule(row.error, step);
    EXPECT_EQ(step.outcome, row.outcome);
    EXPECT_EQ(step.basis, Basis::kRule);
    EXPECT_EQ(step.reason, row.reason);
    EXPECT_EQ(step.code, row.code);
  }
}

TEST(StepVerdictTest, MessagesAreBounded) {
  olm::PreviewStep step = Step(false);
  ConcludeByRule(absl::FailedPreconditionError(std::string(5000, 'x')), step);
  EXPECT_LE(step.message.size(), kMaxPreviewMessage + 3);
}

}  // namespace
}  // namespace steward::controllers

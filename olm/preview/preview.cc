#include "olm/preview/preview.h"

#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/dry_run/dry_run_answer.h"
#include "kube/meta/status.h"

namespace steward::olm {
namespace {

struct OutcomeWords {
  std::string_view word;
  std::string_view member;  // the name of the summary's member
};
constexpr std::array<OutcomeWords, kOutcomes> kWords = {{
    {"Create", "create"},
    {"Update", "update"},
    {"Unchanged", "unchanged"},
    {"NotCreated", "notCreated"},
    {"Delete", "delete"},
    {"Keep", "keep"},
    {"Blocked", "blocked"},
    {"Fail", "fail"},
    {"Unknown", "unknown"},
}};

void AppendKey(std::string_view key, std::string& out) {
  if (out.back() != '{') out.push_back(',');
  StrAppend(&out, "\"", key, "\":");
}
void AppendText(std::string_view key, std::string_view value, std::string& out) {
  if (value.empty()) return;
  AppendKey(key, out);
  AppendJsonString(value, out);
}
void AppendFlag(std::string_view key, bool value, std::string& out) {
  AppendKey(key, out);
  out.append(value ? "true" : "false");
}

void AppendTexts(std::string_view key, const std::vector<std::string>& texts, std::string& out) {
  if (texts.empty()) return;
  AppendKey(key, out);
  out.push_back('[');
  for (const std::string& text : texts) {
    if (out.back() != '[') out.push_back(',');
    AppendJsonString(text, out);
  }
  out.push_back(']');
}
void AppendValue(std::string_view key, std::string_view json, std::string& out) {
  if (json.empty()) return;
  AppendKey(key, out);
  out.append(json);
}

void AppendChanges(const std::vector<PreviewChange>& changes, std::string& out) {
  if (changes.empty()) return;
  AppendKey("changes", out);
  out.push_back('[');
  for (const PreviewChange& change : changes) {
    if (out.back() != '[') out.push_back(',');
    out.push_back('{');
    AppendValue("after", change.after, out);
    AppendValue("before", change.before, out);
    if (change.cut) AppendFlag("cut", true, out);
    AppendText("path", change.path, out);
    out.push_back('}');
  }
  out.push_back(']');
}

void AppendStep(const PreviewStep& step, std::string& out) {
  out.push_back('{');
  AppendText("basis", ToString(step.basis), out);
  AppendTexts("changedFields", step.changed_fields, out);
  AppendChanges(step.changes, out);
  if (step.code != 0) {
    AppendKey("code", out);
    StrAppend(&out, step.code);
  }
  AppendFlag("declaredOptional", step.declared_optional, out);
  AppendKey("group", out);
  AppendJsonString(step.gvk.group, out);
  AppendKey("index", out);
  StrAppend(&out, step.index + 1);
  AppendText("kind", step.gvk.kind, out);
  AppendText("message", step.message, out);
  AppendText("name", step.name, out);
  AppendText("namespace", step.ns, out);
  AppendFlag("optional", step.optional, out);
  AppendText("outcome", ToString(step.outcome), out);
  AppendText("reason", step.reason, out);
  AppendText("resolving", step.resolving, out);
  AppendText("status", step.status, out);
  AppendText("version", step.gvk.version, out);
  AppendTexts("warnings", step.warnings, out);
  out.push_back('}');
}

}  // namespace

std::string_view ToString(Outcome outcome) { return kWords[static_cast<size_t>(outcome)].word; }

std::string_view ToString(Basis basis) { return basis == Basis::kRule ? "Rule" : "DryRun"; }

Outcome OutcomeOf(std::string_view word) {
  for (size_t i = 0; i < kOutcomes; ++i) {
    if (kWords[i].word == word) return static_cast<Outcome>(i);
  }
  return Outcome::kUnknown;
}

Basis BasisOf(std::string_view word) {
  return word == ToString(Basis::kDryRun) ? Basis::kDryRun : Basis::kRule;
}

PreviewStep& PlanPreview::Add(kube::GroupVersionKind gvk, kube::NamespacedName name,
                              std::string resolving) {
  PreviewStep step;
  step.index = steps.empty() ? 0 : steps.back().index + 1;
  step.resolving = std::move(resolving);
  step.gvk = std::move(gvk);
  step.ns = std::move(name.ns);
  step.name = std::move(name.name);
  return steps.emplace_back(std::move(step));
}

void PlanPreview::Append(PlanPreview page) {
  if (steps.empty() || condition.executable) condition = std::move(page.condition);
  for (PreviewStep& step : page.steps) {
    step.index = steps.size();
    steps.push_back(std::move(step));
  }
  hidden += page.hidden;
  remaining = page.remaining;
}

void SayAnswer(const absl::Status& answer, Outcome accepted, PreviewStep& step) {
  const kube::DryRunVerdict verdict = kube::JudgeDryRun(answer);
  step.basis = Basis::kDryRun;
  step.outcome = accepted;
  if (verdict == kube::DryRunVerdict::kAccepted) return;
  step.message = ToStd(answer.message());
  if (verdict == kube::DryRunVerdict::kRefused) {
    step.outcome = Outcome::kFail;
    step.reason = kube::RefusalReason(answer);
    step.code = kube::FromStatus(answer).code;
    return;
  }
  step.basis = Basis::kRule;
  step.outcome = Outcome::kUnknown;
  step.reason = verdict == kube::DryRunVerdict::kUntried ? kWebhookWithoutDryRun : kNoAnswer;
}

PreviewSummary PreviewSummary::Of(const std::vector<PreviewStep>& steps) {
  PreviewSummary summary;
  for (const PreviewStep& step : steps) ++summary.counts[static_cast<size_t>(step.outcome)];
  return summary;
}

void AppendConditions(const PlanCondition& condition, std::string& out) {
  out.append("[{");
  AppendText("message", condition.message, out);
  AppendKey("reason", out);
  AppendJsonString(condition.reason, out);
  AppendText("status", condition.executable ? "True" : "False", out);
  AppendText("type", "Executable", out);
  out.append("}]");
}

void AppendSteps(const std::vector<PreviewStep>& steps, std::string& out) {
  out.push_back('[');
  for (const PreviewStep& step : steps) {
    if (out.back() != '[') out.push_back(',');
    AppendStep(step, out);
  }
  out.push_back(']');
}

void AppendSummary(const PreviewSummary& summary, std::string& out) {
  out.push_back('{');
  for (size_t i = 0; i < kOutcomes; ++i) {
    AppendKey(kWords[i].member, out);
    StrAppend(&out, summary.counts[i]);
  }
  out.push_back('}');
}

}  // namespace steward::olm

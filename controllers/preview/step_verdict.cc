#include "controllers/preview/step_verdict.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "base/text/one_line.h"
#include "base/text/str_cat.h"
#include "kube/dry_run/dry_run_answer.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "olm/plan/answer.h"
#include "olm/preview/plan_outlook.h"

namespace steward::controllers {
namespace {

using olm::Basis;
using olm::Outcome;

constexpr size_t kMaxReason = 64;    // bytes
constexpr size_t kMaxWarning = 300;  // bytes
constexpr size_t kMaxWarnings = 10;  // the most warnings of a step

std::string ReasonOf(const kube::Status& answer) {
  // A webhook may return any text as reason, so it is shortened to one line.
  return answer.reason.empty() ? StrCat("Code", answer.code) : OneLine(answer.reason, kMaxReason);
}

void SetError(olm::PreviewStep& step, Outcome outcome, Basis basis, const absl::Status& error) {
  if (!kube::IsAnswer(error)) {
    SetOutcome(step, outcome, basis, IsInconclusive(error) ? olm::kNoAnswer : kRefusedByRule,
               ToStd(error.message()));
    return;
  }
  const kube::Status answer = kube::FromStatus(error);
  SetOutcome(step, outcome, basis, ReasonOf(answer), answer.message);
  step.code = answer.code;
}

// Masks the secrets in the object as it would be written and as it is.
void HideSecrets(StepOutcome& dry, const olm::PreviewStep& step) {
  if (olm::ObjectKind(step.gvk).kind == "Secret") MaskSecret(dry.before, dry.object);
}

}  // namespace

void SetOutcome(olm::PreviewStep& step, Outcome outcome, Basis basis, std::string_view reason,
                std::string_view message) {
  step.outcome = outcome;
  step.basis = basis;
  step.reason = reason;
  step.code = 0;
  step.message = OneLine(message, kMaxPreviewMessage);
  step.changed_fields.clear();
  step.changes.clear();
  step.warnings.clear();
}

bool IsInconclusive(const absl::Status& error) {
  if (kube::IsTransient(error)) return true;
  if (kube::IsAnswer(error)) return false;
  switch (error.code()) {
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kResourceExhausted:
      return false;  // errors of rules and limits of this process
    default:
      return true;
  }
}

void ConcludeDryRun(StepOutcome dry, olm::StepKind kind, const ChangeLimits& limits,
                    olm::PreviewStep& step) {
  HideSecrets(dry, step);
  if (dry.answer.ok()) {
    if (dry.verdict == olm::AnswerVerdict::kCreated) {
      SetOutcome(step, Outcome::kCreate, Basis::kDryRun, olm::kAccepted);
      if (limits.bytes > 0 && dry.object.is_object()) {
        step.changes.push_back(Creation(std::move(dry.object), limits));
      }
      return;
    }
    if (kind == olm::StepKind::kCsv || kind == olm::StepKind::kSubscription) {
      return SetOutcome(step, Outcome::kUnchanged, Basis::kDryRun, kStaysAsItIs);
    }
    ChangedFields changed;
    if (!dry.before.is_null()) changed = Compare(dry.before, dry.object, limits);
    if (changed.empty()) return SetOutcome(step, Outcome::kUnchanged, Basis::kDryRun, kPresent);
    SetOutcome(step, Outcome::kUpdate, Basis::kDryRun, olm::kAccepted,
               changed.more == 0 ? "" : StrCat(changed.more, " more fields change"));
    for (const olm::PreviewChange& change : changed.changes) {
      step.changed_fields.push_back(change.path);
    }
    if (limits.bytes > 0) step.changes = std::move(changed.changes);
    return;
  }
  if (kube::IsUntried(dry.answer)) {
    SetError(step, Outcome::kUnknown, Basis::kRule, dry.answer);
    step.reason = olm::kWebhookWithoutDryRun;
    return;
  }
  // Somebody else is writing the object at this moment. The executor would also try again.
  const bool overtaken = dry.existed && kube::IsConflict(dry.answer);
  if (IsInconclusive(dry.answer) || overtaken) {
    return SetError(step, Outcome::kUnknown, Basis::kRule, dry.answer);
  }
  const bool optional = step.optional && dry.verdict == olm::AnswerVerdict::kNotCreated;
  SetError(step, optional ? Outcome::kNotCreated : Outcome::kFail, Basis::kDryRun, dry.answer);
}

void AddWarnings(const std::vector<std::string>& warnings, olm::PreviewStep& step) {
  for (const std::string& text : warnings) {
    if (step.warnings.size() >= kMaxWarnings) return;
    std::string warning = OneLine(text, kMaxWarning);
    if (std::find(step.warnings.begin(), step.warnings.end(), warning) != step.warnings.end()) {
      continue;
    }
    step.warnings.push_back(std::move(warning));
  }
}

void ConcludeByRule(const absl::Status& error, olm::PreviewStep& step) {
  SetError(step, IsInconclusive(error) ? Outcome::kUnknown : Outcome::kFail, Basis::kRule, error);
  if (absl::IsInvalidArgument(error) && !kube::IsAnswer(error)) step.reason = olm::kInvalidManifest;
}

}  // namespace steward::controllers

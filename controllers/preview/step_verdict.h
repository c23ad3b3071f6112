// Turns the cluster's answers into a preview's conclusion about a step. Pure functions.
#ifndef CONTROLLERS_PREVIEW_STEP_VERDICT_H_
#define CONTROLLERS_PREVIEW_STEP_VERDICT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "controllers/install_plan/step_writer.h"
#include "controllers/preview/changed_fields.h"
#include "olm/plan/step_kind.h"
#include "olm/preview/preview.h"

namespace steward::controllers {

// The reasons that only live previews of plans give.
inline constexpr std::string_view kPresent = "Present";  // the object is as the step wants it
inline constexpr std::string_view kStaysAsItIs = "StaysAsItIs";  // never changed
inline constexpr std::string_view kNeedsEarlierStep = "NeedsEarlierStep";
inline constexpr std::string_view kRefusedByRule = "RefusedByRule";  // a rule of the executor
inline constexpr std::string_view kTooManySteps = "TooManySteps";
inline constexpr std::string_view kOutOfTime = "OutOfTime";

// The message of steps that are blocked by a fault of the plan or of another step. Only the
// condition may name that fault.
inline constexpr std::string_view kPlanRefused = "the plan cannot be executed as it is";

// The longest message of a step, in bytes.
inline constexpr size_t kMaxPreviewMessage = 300;

void SetOutcome(olm::PreviewStep& step, olm::Outcome outcome, olm::Basis basis,
                std::string_view reason, std::string_view message = "");

// Returns true if the error does not answer the request: no answer, 429, 5xx. Errors of rules and
// limits of this process are conclusive.
bool IsInconclusive(const absl::Status& error);

// Writes the result of a dry run and its changes into `step`. The message counts the fields that
// exceed the limits. Secrets are masked. REQUIRES: step.optional and step.gvk are set.
void ConcludeDryRun(StepOutcome dry, olm::StepKind kind, const ChangeLimits& limits,
                    olm::PreviewStep& step);

// Adds the API server's warnings to the step: each once, at most 10 of at most 300 bytes.
void AddWarnings(const std::vector<std::string>& warnings, olm::PreviewStep& step);

// Concludes from an error that came before the dry run: a failed read, or a rule of the executor.
// An inconclusive error (IsInconclusive) makes the step Unknown.
void ConcludeByRule(const absl::Status& error, olm::PreviewStep& step);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_STEP_VERDICT_H_

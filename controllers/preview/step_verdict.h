// What a preview says of a step, by the answers that the cluster gave to it. Pure functions.
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

// The reasons that only the live preview of a plan gives.
inline constexpr std::string_view kPresent = "Present";          // as the step wants it
inline constexpr std::string_view kStaysAsItIs = "StaysAsItIs";  // the executor changes none
inline constexpr std::string_view kNeedsEarlierStep = "NeedsEarlierStep";
inline constexpr std::string_view kRefusedByRule = "RefusedByRule";  // of the executor
inline constexpr std::string_view kTooManySteps = "TooManySteps";
inline constexpr std::string_view kOutOfTime = "OutOfTime";

// The message of steps that are blocked because of the plan as a whole, or of another step, which
// only the condition may name.
inline constexpr std::string_view kPlanRefused = "the plan cannot be executed as it is";

// The longest message, in bytes.
inline constexpr size_t kMaxPreviewMessage = 300;

void SetOutcome(olm::PreviewStep& step, olm::Outcome outcome, olm::Basis basis,
                std::string_view reason, std::string_view message = "");

// True where an error says nothing of what was asked: no answer, 429, 5xx. An error of a rule or a
// bound of this process is none.
bool IsInconclusive(const absl::Status& error);

// Says what a dry run came to, and what it would change; how many more fields than may be named is
// in the message. What is secret is masked. REQUIRES: step.optional and step.gvk are set.
void ConcludeDryRun(StepOutcome dry, olm::StepKind kind, const ChangeLimits& limits,
                    olm::PreviewStep& step);

// Adds the API server's warnings to those of the step: each once, at most 10 of 300 bytes.
void AddWarnings(const std::vector<std::string>& warnings, olm::PreviewStep& step);

// Says what an error means that came before a dry run could be made: a read that failed, or a rule
// of the executor. Trouble is Unknown.
void ConcludeByRule(const absl::Status& error, olm::PreviewStep& step);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_STEP_VERDICT_H_

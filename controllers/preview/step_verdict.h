// What a preview says of a step, by the answers that the cluster gave to it. Pure functions.
#ifndef CONTROLLERS_PREVIEW_STEP_VERDICT_H_
#define CONTROLLERS_PREVIEW_STEP_VERDICT_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "controllers/install_plan/step_writer.h"
#include "olm/plan/step_kind.h"
#include "olm/preview/preview.h"

namespace steward::controllers {

// The reasons that only a live preview gives; of an answer that refuses, the reason is the answer's
// own ("Forbidden", "Invalid").
inline constexpr std::string_view kAccepted = "Accepted";        // by a dry run
inline constexpr std::string_view kPresent = "Present";          // as the step wants it
inline constexpr std::string_view kStaysAsItIs = "StaysAsItIs";  // the executor changes none
inline constexpr std::string_view kNeedsEarlierStep = "NeedsEarlierStep";
inline constexpr std::string_view kWebhookWithoutDryRun = "WebhookWithoutDryRun";
inline constexpr std::string_view kNoAnswer = "NoAnswer";            // that could be understood
inline constexpr std::string_view kRefusedByRule = "RefusedByRule";  // of the executor
inline constexpr std::string_view kTooManySteps = "TooManySteps";
inline constexpr std::string_view kOutOfTime = "OutOfTime";

// The message of steps that are blocked because of another one, which only the condition may name.
inline constexpr std::string_view kConditionTells =
    "the plan cannot be executed, as its condition tells";

// The longest message, in bytes.
inline constexpr size_t kMaxPreviewMessage = 300;

void Say(olm::PreviewStep& step, olm::Outcome outcome, olm::Basis basis, std::string_view reason,
         std::string_view message = "");

// True where an error says nothing of what was asked: no answer, 429, 5xx. An error of a rule or a
// bound of this process is none.
bool IsTrouble(const absl::Status& error);

// Says what a dry run came to. `max_paths`: of the changed fields; how many more there are is in
// the message. REQUIRES: step.optional is set.
void ConcludeDryRun(const StepOutcome& dry, olm::StepKind kind, size_t max_paths,
                    olm::PreviewStep& step);

// Says what an error means that came before a dry run could be made: a read that failed, or a rule
// of the executor. Trouble is Unknown.
void ConcludeByRule(const absl::Status& error, olm::PreviewStep& step);

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_STEP_VERDICT_H_

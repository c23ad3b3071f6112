// The meaning of a server's answer for an optional step (R-002-26 to 47). Pure functions.
#ifndef OLM_PLAN_ANSWER_H_
#define OLM_PLAN_ANSWER_H_

#include "absl/status/status.h"

namespace steward::olm {

enum class AnswerVerdict {
  kCreated,     // 2xx
  kExists,      // 409 AlreadyExists: to be updated instead (R-002-47)
  kNotCreated,  // the cluster refuses this manifest or lacks its API: terminal
  kFailure,     // an error: the step is tried again until the plan's time is over
};

// The operation that the server answers.
enum class StepWrite { kCreate, kUpdate };

// Classifies by the reason of the answer's Status, or by its code if the reason is unknown or
// missing. No answer at all is kFailure. A Conflict of an update is kFailure, because the object
// exists and the step is tried again (R-002-65).
AnswerVerdict ClassifyAnswer(const absl::Status& answer, StepWrite write);

}  // namespace steward::olm

#endif  // OLM_PLAN_ANSWER_H_

#include "kube/dry_run/dry_run_answer.h"

#include "absl/strings/match.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::kube {

// The API has no reason of its own for this answer, so its message is compared.
bool IsUntried(const absl::Status& answer) {
  return HasReason(answer, "BadRequest") &&
         absl::StrContains(FromStatus(answer).message, "does not support dry run");
}

DryRunVerdict JudgeDryRun(const absl::Status& answer) {
  if (answer.ok()) return DryRunVerdict::kAccepted;
  if (IsUntried(answer)) return DryRunVerdict::kUntried;
  if (!IsAnswer(answer) || IsTransient(answer)) return DryRunVerdict::kNoAnswer;
  return DryRunVerdict::kRefused;
}

std::string RefusalReason(const absl::Status& answer) {
  const Status status = FromStatus(answer);
  return status.reason.empty() ? StrCat("Code", status.code) : status.reason;
}

}  // namespace steward::kube

#include "kube/dry_run/dry_run_answer.h"

#include "absl/strings/match.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::kube {

// The API has no reason of its own for it.
bool IsUntried(const absl::Status& answer) {
  return HasReason(answer, "BadRequest") &&
         absl::StrContains(FromStatus(answer).message, "does not support dry run");
}

}  // namespace steward::kube

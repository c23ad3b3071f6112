// The answers of API servers to writes with dryRun=All. Pure functions.
#ifndef KUBE_DRY_RUN_DRY_RUN_ANSWER_H_
#define KUBE_DRY_RUN_DRY_RUN_ANSWER_H_

#include <string>

#include "absl/status/status.h"

namespace steward::kube {

// True if the server did not try the write, because one of its admission webhooks may have side
// effects. Then nobody knows how the server would answer the write itself.
bool IsUntried(const absl::Status& answer);

enum class DryRunVerdict {
  kAccepted,
  kRefused,   // as the write itself would be
  kUntried,   // IsUntried
  kNoAnswer,  // no answer, or one that does not judge the write: 429, 5xx
};
DryRunVerdict JudgeDryRun(const absl::Status& answer);
// The reason of a refusal, in the server's word, or "Code418" where it has none.
std::string RefusalReason(const absl::Status& answer);

}  // namespace steward::kube

#endif  // KUBE_DRY_RUN_DRY_RUN_ANSWER_H_

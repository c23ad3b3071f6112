// The answers of API servers to writes with dryRun=All. Pure functions.
#ifndef KUBE_DRY_RUN_DRY_RUN_ANSWER_H_
#define KUBE_DRY_RUN_DRY_RUN_ANSWER_H_

#include "absl/status/status.h"

namespace steward::kube {

// True if the server did not try the write, because an admission webhook of it may have side
// effects. Nothing is known of what it would say to the write itself.
bool IsUntried(const absl::Status& answer);

}  // namespace steward::kube

#endif  // KUBE_DRY_RUN_DRY_RUN_ANSWER_H_

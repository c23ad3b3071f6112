#include "controllers/runtime/write_outcome.h"

#include "kube/meta/status.h"

namespace steward::controllers {

WriteOutcome OutcomeOf(const absl::Status& status) {
  if (status.ok()) return WriteOutcome::kDone;
  const kube::Status answer = kube::FromStatus(status);
  // Without this reason the error is no answer of a server.
  if (!kube::HasReason(status, answer.reason)) return WriteOutcome::kFailed;
  switch (answer.code) {
    case 404:
      return WriteOutcome::kAbsent;
    case 409:
      return WriteOutcome::kConflict;
    case 429:
      return WriteOutcome::kThrottled;
    case 401:
    case 408:
    case 410:
      return WriteOutcome::kFailed;
    default:
      return answer.code >= 400 && answer.code < 500 ? WriteOutcome::kRefused
                                                     : WriteOutcome::kFailed;
  }
}

}  // namespace steward::controllers

#include "controllers/runtime/write_outcome.h"

#include <algorithm>

#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::controllers {

WriteOutcome OutcomeOf(const absl::Status& status) {
  if (status.ok()) return WriteOutcome::kDone;
  if (!kube::IsAnswer(status)) return WriteOutcome::kFailed;
  const int code = kube::FromStatus(status).code;
  switch (code) {
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
      return code >= 400 && code < 500 ? WriteOutcome::kRefused : WriteOutcome::kFailed;
  }
}

bool NamespaceEnds(const absl::Status& failure) {
  const kube::Status answer = kube::FromStatus(failure);
  if (kube::HasReason(failure, "NotFound")) return answer.kind == "namespaces";
  return std::any_of(answer.causes.begin(), answer.causes.end(),
                     [](const kube::StatusCause& c) { return c.reason == "NamespaceTerminating"; });
}

}  // namespace steward::controllers

#include "kube/meta/errors.h"

#include <algorithm>

#include "kube/meta/status.h"

namespace steward::kube {
namespace {

// True if a proxy answered instead of the API server.
bool IsForeign(const Status& answer) {
  return std::any_of(answer.causes.begin(), answer.causes.end(), [](const StatusCause& cause) {
    return cause.reason == "UnexpectedServerResponse";
  });
}

}  // namespace

bool IsNotFound(const absl::Status& status, std::string_view name) {
  if (!SaysNotFound(status)) return false;
  const Status answer = FromStatus(status);
  return answer.code == 404 && !IsForeign(answer) && answer.name == name;
}

bool SaysNotFound(const absl::Status& status) { return HasReason(status, "NotFound"); }

bool IsNotServed(const absl::Status& status) {
  return absl::IsNotFound(status) && FromStatus(status).name.empty();
}

bool IsUnsupported(const absl::Status& status) {
  if (!HasReason(status, "MethodNotAllowed")) return false;
  const Status answer = FromStatus(status);
  return answer.code == 405 && !IsForeign(answer);
}

bool IsForbidden(const absl::Status& status) { return HasReason(status, "Forbidden"); }

bool IsAlreadyExists(const absl::Status& status) { return HasReason(status, "AlreadyExists"); }

bool IsConflict(const absl::Status& status) { return HasReason(status, "Conflict"); }

bool IsOvertaken(const absl::Status& status) { return IsConflict(status) || SaysNotFound(status); }

bool IsExpired(const absl::Status& status) { return HasReason(status, "Expired"); }

bool IsTooManyRequests(const absl::Status& status) { return HasReason(status, "TooManyRequests"); }

bool IsTooLarge(const absl::Status& status) {
  return !status.ok() && FromStatus(status).code == 413;
}

bool IsTimeout(const absl::Status& status) { return HasReason(status, "Timeout"); }

bool IsAnswer(const absl::Status& status) {
  return status.ok() || HasReason(status, FromStatus(status).reason);
}

bool IsTransient(const absl::Status& status) {
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) return true;
  if (status.ok()) return false;
  const int code = FromStatus(status).code;
  return code == 429 || (code >= 500 && !absl::IsDataLoss(status));
}

}  // namespace steward::kube

#include "olm/cleanup/step.h"

#include <algorithm>

#include "olm/copy.h"

namespace steward::olm {

std::string_view ToString(CleanupStep step) {
  switch (step) {
    case CleanupStep::kNothing:
      return "Nothing";
    case CleanupStep::kRecord:
      return "Record";
    case CleanupStep::kDelete:
      return "Delete";
    case CleanupStep::kDrain:
      return "Drain";
    case CleanupStep::kRetry:
      return "Retry";
    case CleanupStep::kReleaseRights:
      return "ReleaseRights";
    case CleanupStep::kReleaseFinalizer:
      return "ReleaseFinalizer";
  }
  return "";
}

CleanupStep NextCleanupStep(const CsvFacts& csv, const StepInputs& inputs) {
  if (!csv.deleting() || !csv.HasFinalizer(kCleanupFinalizer)) return CleanupStep::kNothing;
  if (!csv.cleanup_enabled) return CleanupStep::kReleaseFinalizer;
  const bool allowed = inputs.verdict == CleanupVerdictKind::kAllowed;
  if (inputs.verdict == CleanupVerdictKind::kUnknown) return CleanupStep::kRetry;
  if (allowed && !inputs.recorded) return CleanupStep::kRecord;
  if (!inputs.pending.ok()) return CleanupStep::kRetry;
  if (*inputs.pending > 0) return allowed ? CleanupStep::kDelete : CleanupStep::kDrain;
  if (!inputs.holds.ok()) return CleanupStep::kRetry;
  return *inputs.holds > 0 ? CleanupStep::kReleaseRights : CleanupStep::kReleaseFinalizer;
}

std::vector<std::string> FinalizersWithout(const std::vector<std::string>& finalizers,
                                           const std::vector<std::string_view>& gone) {
  std::vector<std::string> left;
  for (const std::string& finalizer : finalizers) {
    if (std::find(gone.begin(), gone.end(), finalizer) == gone.end()) left.push_back(finalizer);
  }
  return left;
}

}  // namespace steward::olm

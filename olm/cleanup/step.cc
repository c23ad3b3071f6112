#include "olm/cleanup/step.h"

#include <algorithm>

#include "olm/cleanup/record.h"
#include "olm/copy.h"

namespace steward::olm {

std::string_view ToString(CleanupStep step) {
  switch (step) {
    case CleanupStep::kNothing:
      return "Nothing";
    case CleanupStep::kAbort:
      return "Abort";
    case CleanupStep::kRecord:
      return "Record";
    case CleanupStep::kDelete:
      return "Delete";
    case CleanupStep::kDrain:
      return "Drain";
    case CleanupStep::kRetry:
      return "Retry";
    case CleanupStep::kSettle:
      return "Settle";
    case CleanupStep::kConfirm:
      return "Confirm";
    case CleanupStep::kReleaseRights:
      return "ReleaseRights";
    case CleanupStep::kReleaseFinalizer:
      return "ReleaseFinalizer";
  }
  return "";
}

std::optional<CleanupStep> EarlyCleanupStep(const CsvFacts& csv) {
  if (!csv.deleting() || !csv.HasFinalizer(kCleanupFinalizer)) return CleanupStep::kNothing;
  if (!csv.OptedIn()) return CleanupStep::kAbort;
  return std::nullopt;
}

bool NeedsPending(const CsvFacts& csv, const StepInputs& inputs) {
  if (csv.rights_released.has_value() || inputs.verdict == CleanupVerdictKind::kUnknown) {
    return false;
  }
  if (inputs.verdict == CleanupVerdictKind::kAllowed) return inputs.recorded;
  return inputs.may_have_sent && !inputs.nobody_can_finish;
}

CleanupStep NextCleanupStep(const CsvFacts& csv, const StepInputs& inputs) {
  if (const std::optional<CleanupStep> early = EarlyCleanupStep(csv)) return *early;
  const bool ended = csv.rights_released.has_value();
  const bool allowed = inputs.verdict == CleanupVerdictKind::kAllowed;
  if (!ended && inputs.verdict == CleanupVerdictKind::kUnknown) return CleanupStep::kRetry;
  if (!ended && allowed && !inputs.recorded) return CleanupStep::kRecord;
  if (NeedsPending(csv, inputs)) {
    if (!inputs.pending.ok()) return CleanupStep::kRetry;
    if (*inputs.pending > 0) return allowed ? CleanupStep::kDelete : CleanupStep::kDrain;
  }
  const bool finishes = !ended && inputs.may_have_sent && !inputs.nobody_can_finish;
  if (finishes && inputs.may_arrive) return CleanupStep::kSettle;
  if (!ended && !allowed && !inputs.refused_before) return CleanupStep::kConfirm;
  // An uninstallation for which nothing was sent does not wait for rights: the sweep releases
  // objects that are held without reason.
  const bool waits = ended || allowed || inputs.may_have_sent;
  if (!inputs.holds.ok()) return waits ? CleanupStep::kRetry : CleanupStep::kReleaseFinalizer;
  // Such an uninstallation does not wait for room for the annotation about released rights either.
  if (!waits && !HasRoomForMarks(csv.other_annotations)) return CleanupStep::kReleaseFinalizer;
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

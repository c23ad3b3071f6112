#include "olm/cleanup/verdict.h"

#include <algorithm>
#include <utility>

#include "base/text/str_cat.h"
#include "olm/cleanup/guards.h"
#include "olm/targets.h"

namespace steward::olm {

std::string_view ToString(CleanupReason reason) {
  switch (reason) {
    case CleanupReason::kNotSupported:
      return "NotSupported";
    case CleanupReason::kNotOptedIn:
      return "NotOptedIn";
    case CleanupReason::kCopied:
      return "Copied";
    case CleanupReason::kPhaseNotSucceeded:
      return "PhaseNotSucceeded";
    case CleanupReason::kOperatorGone:
      return "OperatorGone";
    case CleanupReason::kOrphanRequested:
      return "OrphanRequested";
    case CleanupReason::kOperandDeleteDisabled:
      return "OperandDeleteDisabled";
    case CleanupReason::kInvalidSpec:
      return "InvalidSpec";
    case CleanupReason::kOwnsOlmKinds:
      return "OwnsOLMKinds";
    case CleanupReason::kRefusedBefore:
      return "RefusedBefore";
    case CleanupReason::kRecordInvalid:
      return "RecordInvalid";
    case CleanupReason::kRecordOfAnotherObject:
      return "RecordOfAnotherObject";
    case CleanupReason::kRecordRemoved:
      return "RecordRemoved";
    case CleanupReason::kInstallNamespaceTerminating:
      return "InstallNamespaceTerminating";
    case CleanupReason::kOperatorGroupGone:
      return "OperatorGroupGone";
    case CleanupReason::kOperatorGroupNotUnique:
      return "OperatorGroupNotUnique";
    case CleanupReason::kOperatorGroupInvalid:
      return "OperatorGroupInvalid";
    case CleanupReason::kOperatorGroupChanged:
      return "OperatorGroupChanged";
    case CleanupReason::kSharedOwner:
      return "SharedOwner";
    case CleanupReason::kRequiredByOther:
      return "RequiredByOther";
    case CleanupReason::kBeingReplaced:
      return "BeingReplaced";
    case CleanupReason::kOptInNotProtected:
      return "OptInNotProtected";
    case CleanupReason::kUnreadable:
      return "Unreadable";
    case CleanupReason::kOperatorGroupNotSynced:
      return "OperatorGroupNotSynced";
  }
  return "";
}

std::string_view ToString(CleanupVerdictKind kind) {
  switch (kind) {
    case CleanupVerdictKind::kAllowed:
      return "Allowed";
    case CleanupVerdictKind::kRefused:
      return "Refused";
    case CleanupVerdictKind::kUnknown:
      return "Unknown";
  }
  return "";
}

namespace {

Verdict Blocked(CleanupVerdictKind kind, std::vector<CleanupBlocker> blockers) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.blockers = std::move(blockers);
  return verdict;
}

}  // namespace

Verdict CleanupVerdict(const CleanupInputs& inputs) {
  if (inputs.csv.unreadable()) {
    return Blocked(CleanupVerdictKind::kUnknown,
                   {{CleanupReason::kUnreadable,
                     StrCat("the ClusterServiceVersion: ", inputs.csv.why()),
                     {}}});
  }
  if (inputs.csv.absent()) {
    return Blocked(CleanupVerdictKind::kRefused,
                   {{CleanupReason::kNotOptedIn, "there is no ClusterServiceVersion", {}}});
  }
  std::vector<CleanupBlocker> blockers = RefusalsOf(*inputs.csv, inputs.remembered);
  if (!blockers.empty()) return Blocked(CleanupVerdictKind::kRefused, std::move(blockers));
  blockers = UnreadableInputs(inputs);
  if (!blockers.empty()) return Blocked(CleanupVerdictKind::kUnknown, std::move(blockers));
  blockers = OtherRefusals(inputs);
  if (!blockers.empty()) return Blocked(CleanupVerdictKind::kRefused, std::move(blockers));

  // Exactly one group, with a spec that means something, and a status.
  const GroupFacts& group = inputs.groups->front();
  Verdict verdict;
  verdict.kind = CleanupVerdictKind::kAllowed;
  verdict.targets = SpecTargets(inputs).Intersect(SyncedTargets(group));
  if (inputs.csv->record.has_value()) {
    const absl::StatusOr<CleanupRecord> record = DecodeRecord(*inputs.csv->record);
    // RefusalsOf saw to it that it can be read.
    verdict.targets = verdict.targets.Intersect(record->targets);
  } else {
    verdict.to_record = CleanupRecord{verdict.targets, inputs.csv->uid, group.group.uid};
  }
  if (inputs.remembered.has_value()) {
    verdict.targets = verdict.targets.Intersect(inputs.remembered->targets);
  }
  return verdict;
}

Read<TargetSet> DrainTargets(const CleanupInputs& inputs) {
  if (!inputs.csv.ok()) return Read<TargetSet>::Unreadable("the ClusterServiceVersion");
  if (inputs.remembered.has_value()) return Read<TargetSet>::Ok(inputs.remembered->targets);
  if (inputs.csv->record.has_value()) {
    const absl::StatusOr<CleanupRecord> record = DecodeRecord(*inputs.csv->record);
    if (record.ok()) return Read<TargetSet>::Ok(record->targets);
  }
  if (inputs.groups.unreadable()) return Read<TargetSet>::Unreadable(inputs.groups.why());
  if (inputs.groups.absent() || inputs.groups->size() != 1 ||
      KindOfTargets(inputs.groups->front().group) == TargetKind::kNone) {
    return Read<TargetSet>::Ok(TargetSet());
  }
  if (KindOfTargets(inputs.groups->front().group) == TargetKind::kSelector &&
      !inputs.selected.ok()) {
    return Read<TargetSet>::Unreadable(StrCat("namespaces: ", inputs.selected.why()));
  }
  return Read<TargetSet>::Ok(SpecTargets(inputs));
}

}  // namespace steward::olm

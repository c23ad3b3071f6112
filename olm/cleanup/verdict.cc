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
    case CleanupReason::kHasOwners:
      return "HasOwners";
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
    case CleanupReason::kRightsReleased:
      return "RightsReleased";
    case CleanupReason::kCsvDefinitionTerminating:
      return "CSVDefinitionTerminating";
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
    case CleanupReason::kRecordTooLarge:
      return "RecordTooLarge";
    case CleanupReason::kBeingReplaced:
      return "BeingReplaced";
    case CleanupReason::kOptInNotProtected:
      return "OptInNotProtected";
    case CleanupReason::kDeletionNotProtected:
      return "DeletionNotProtected";
    case CleanupReason::kOptInUnconfirmed:
      return "OptInUnconfirmed";
    case CleanupReason::kUnreadable:
      return "Unreadable";
    case CleanupReason::kOperatorGroupUnreadable:
      return "OperatorGroupUnreadable";
    case CleanupReason::kOperatorGroupNotSynced:
      return "OperatorGroupNotSynced";
    case CleanupReason::kCopiesLeft:
      return "CopiesLeft";
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

CleanupVerdictKind KindOf(const std::vector<CleanupBlocker>& blockers) {
  const auto any = [&blockers](BlockerWeight weight) {
    return std::any_of(blockers.begin(), blockers.end(), [weight](const CleanupBlocker& blocker) {
      return blocker.weight == weight;
    });
  };
  if (any(BlockerWeight::kOwn)) return CleanupVerdictKind::kRefused;
  if (any(BlockerWeight::kUnknown)) return CleanupVerdictKind::kUnknown;
  return blockers.empty() ? CleanupVerdictKind::kAllowed : CleanupVerdictKind::kRefused;
}

// The definitions to record: those that would be cleaned up now.
std::map<std::string, RecordedDefinition> ToRecord(const CleanupInputs& inputs) {
  std::map<std::string, RecordedDefinition> definitions;
  for (const std::string& name : inputs.csv->owned_crds) {
    const auto crd = inputs.crds.find(name);
    if (crd == inputs.crds.end() || !crd->second.ok() || !crd->second->kept.empty()) continue;
    RecordedDefinition& definition = definitions[name];
    definition.uid = crd->second->uid;
    if (!crd->second->aggregated) continue;
    definition.kind = crd->second->kind;
    definition.versions = crd->second->versions;
  }
  return definitions;
}

}  // namespace

bool Verdict::IsBlockedBy(CleanupReason reason) const {
  return std::any_of(blockers.begin(), blockers.end(),
                     [reason](const CleanupBlocker& blocker) { return blocker.reason == reason; });
}

bool Verdict::KeepsByChoice() const {
  return IsBlockedBy(CleanupReason::kNotOptedIn) || IsBlockedBy(CleanupReason::kNotSupported) ||
         IsBlockedBy(CleanupReason::kOperandDeleteDisabled) ||
         IsBlockedBy(CleanupReason::kOrphanRequested);
}

Verdict CleanupVerdict(const CleanupInputs& inputs) {
  Verdict verdict;
  verdict.blockers = BlockersOf(inputs);
  verdict.kind = KindOf(verdict.blockers);
  if (!verdict.allowed()) return verdict;
  verdict.targets = EffectiveTargets(inputs);
  if (!inputs.csv->record.has_value()) {
    verdict.to_record = NewRecord(inputs);
  }
  return verdict;
}

bool MayHaveSent(const CleanupInputs& inputs) {
  return inputs.remembered.has_value() || inputs.csv->record.has_value() ||
         inputs.csv->said_waiting;
}

CleanupRecord NewRecord(const CleanupInputs& inputs) {
  return {EffectiveTargets(inputs), inputs.csv->uid, inputs.groups->front().group.uid,
          ToRecord(inputs)};
}

bool MayLeaveRecorded(const CleanupInputs& inputs, const Verdict& verdict) {
  const std::optional<CleanupRecord> record = RecordOf(inputs);
  if (!record.has_value() || !verdict.allowed() || verdict.targets != record->targets) return true;
  if (inputs.csv->record.has_value()) {
    const absl::StatusOr<CleanupRecord> written = DecodeRecord(*inputs.csv->record);
    if (!written.ok() || written->definitions != record->definitions) return true;
  }
  return std::any_of(
      record->definitions.begin(), record->definitions.end(),
      [&inputs](const auto& entry) { return !inputs.csv->owned_crds.contains(entry.first); });
}

bool NobodyCanFinish(const CleanupInputs& inputs) {
  const Read<InstallNamespaceFacts>& ns = inputs.install_namespace;
  if (ns.unreadable() || (ns.ok() && !ns->terminating)) return false;
  if (inputs.without_deployments) return true;
  return std::all_of(
      inputs.csv->deployments.begin(), inputs.csv->deployments.end(),
      [&inputs](const std::string& name) {
        const auto found = inputs.deployments.find(name);
        return found != inputs.deployments.end() &&
               (found->second.absent() || (found->second.ok() && found->second->deleting));
      });
}

std::optional<CleanupRecord> RecordOf(const CleanupInputs& inputs) {
  if (inputs.remembered.has_value()) return inputs.remembered;
  if (!inputs.csv->record.has_value()) return std::nullopt;
  absl::StatusOr<CleanupRecord> record = DecodeRecord(*inputs.csv->record);
  if (!record.ok() || record->csv_uid != inputs.csv->uid) return std::nullopt;
  return *std::move(record);
}

std::set<std::string> DefinitionsOf(const CleanupInputs& inputs) {
  std::set<std::string> names = inputs.csv->owned_crds;
  if (const std::optional<CleanupRecord> record = RecordOf(inputs); record.has_value()) {
    for (const auto& [name, definition] : record->definitions) names.insert(name);
  }
  return names;
}

Read<TargetSet> DrainTargets(const CleanupInputs& inputs) {
  if (!inputs.csv.ok()) return Read<TargetSet>::Unreadable("the ClusterServiceVersion");
  if (const std::optional<CleanupRecord> record = RecordOf(inputs); record.has_value()) {
    return Read<TargetSet>::Ok(record->targets);
  }
  if (!MayHaveSent(inputs)) return Read<TargetSet>::Ok(TargetSet());
  // The record was lost, so nobody knows any more where deletions were sent.
  if (inputs.groups.unreadable()) return Read<TargetSet>::Unreadable(inputs.groups.why());
  const bool one = inputs.groups.ok() && inputs.groups->size() == 1;
  const TargetKind kind = one ? KindOfTargets(inputs.groups->front().group) : TargetKind::kNone;
  if (kind == TargetKind::kNone) return Read<TargetSet>::Ok(TargetSet::All());
  if (kind == TargetKind::kSelector && !inputs.selected.ok()) {
    return Read<TargetSet>::Unreadable(StrCat("namespaces: ", inputs.selected.why()));
  }
  return Read<TargetSet>::Ok(SpecTargets(inputs));
}

TargetSet EffectiveTargets(const CleanupInputs& inputs) {
  if (!inputs.groups.ok() || inputs.groups->size() != 1) return TargetSet();
  const GroupFacts& group = inputs.groups->front();
  TargetSet targets = SpecTargets(inputs);
  if (group.synced.has_value()) targets = targets.Intersect(SyncedTargets(group));
  if (inputs.csv->record.has_value()) {
    const absl::StatusOr<CleanupRecord> record = DecodeRecord(*inputs.csv->record);
    targets = record.ok() ? targets.Intersect(record->targets) : TargetSet();
  }
  if (inputs.remembered.has_value()) targets = targets.Intersect(inputs.remembered->targets);
  return targets;
}

}  // namespace steward::olm

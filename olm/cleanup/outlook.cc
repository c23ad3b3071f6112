#include "olm/cleanup/outlook.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/guards.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/status.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

std::vector<OwnedResource> ResourcesOf(const CsvCleanup& csv) {
  std::vector<OwnedResource> resources;
  for (const std::string& name : csv.facts.owned_crds) {
    // Every such name has a dot.
    const size_t dot = name.find('.');
    const auto kind = csv.owned_kinds.find(name);
    resources.push_back({name.substr(dot + 1), kind == csv.owned_kinds.end() ? "" : kind->second,
                         name.substr(0, dot)});
  }
  return resources;
}

OtherOperators OthersOf(const OutlookInputs& inputs) {
  const kube::NamespacedName& own = inputs.csv->key;
  std::set<kube::NamespacedName> owners, requirers;
  for (const auto& users : inputs.users) {
    owners.insert(users->owners.begin(), users->owners.end());
    requirers.insert(users->requirers.begin(), users->requirers.end());
  }
  owners.erase(own);
  requirers.erase(own);
  OtherOperators others;
  others.owners.assign(owners.begin(), owners.end());
  others.requirers.assign(requirers.begin(), requirers.end());
  if (inputs.replacers != nullptr) others.replacers = *inputs.replacers;
  return others;
}

TargetSet TargetsOf(const CsvFacts& csv, const std::vector<GroupFacts>& groups,
                    const std::vector<std::string>* selected) {
  if (groups.size() != 1) return TargetSet();
  const GroupFacts& group = groups.front();
  TargetSet targets =
      SpecTargets(group.group, selected == nullptr ? std::vector<std::string>() : *selected);
  if (group.synced.has_value()) targets = targets.Intersect(SyncedTargets(group));
  if (!csv.record.has_value()) return targets;
  const absl::StatusOr<CleanupRecord> record = DecodeRecord(*csv.record);
  return record.ok() ? targets.Intersect(record->targets) : TargetSet();
}

// The order is that of CleanupVerdict, but none of them hides the others.
CleanupVerdictKind Judge(const OutlookInputs& inputs, const std::vector<GroupFacts>& groups,
                         std::vector<CleanupBlocker>& blockers) {
  const CsvFacts& csv = inputs.csv->cleanup->facts;
  const std::optional<CleanupRecord> nothing_remembered;
  std::optional<InstallNamespaceFacts> install_namespace;
  if (inputs.install_namespace != nullptr) install_namespace = FactsOf(*inputs.install_namespace);
  const OtherOperators others = OthersOf(inputs);

  blockers = RefusalsOf(csv, nothing_remembered);
  const bool refused_by_itself = !blockers.empty();
  const size_t known = blockers.size();
  for (const OperatorGroupPtr& group : inputs.groups) {
    if (!group->invalid_status.empty()) blockers.push_back(InvalidStatus(*group));
  }
  if (blockers.size() == known && groups.size() == 1 && IsNotSynced(groups.front())) {
    blockers.push_back(NotSynced(groups.front()));
  }
  const bool unknown = blockers.size() > known;
  std::vector<CleanupBlocker> more =
      WatchedRefusals({csv, install_namespace.has_value() ? &*install_namespace : nullptr, groups,
                       others, nothing_remembered});
  const bool refused = !more.empty();
  std::move(more.begin(), more.end(), std::back_inserter(blockers));
  if (refused_by_itself) return CleanupVerdictKind::kRefused;
  if (unknown) return CleanupVerdictKind::kUnknown;
  return refused ? CleanupVerdictKind::kRefused : CleanupVerdictKind::kAllowed;
}

// What the guards cannot see here, the controllers' conditions tell.
CleanupPhase PhaseWhileDeleting(const CsvCleanup& csv, CleanupVerdictKind verdict, size_t pending) {
  const bool stalled = csv.Condition(kCleanupStalled) != nullptr;
  if (verdict == CleanupVerdictKind::kAllowed) {
    if (stalled) return CleanupPhase::kStalled;
    if (csv.Condition(kCleanupUnknown) != nullptr) return CleanupPhase::kUnknown;
    if (csv.Condition(kCleanupRefused) == nullptr) return CleanupPhase::kDeleting;
    return pending > 0 ? CleanupPhase::kDraining : CleanupPhase::kRefused;
  }
  if (verdict == CleanupVerdictKind::kUnknown) {
    return stalled ? CleanupPhase::kStalled : CleanupPhase::kUnknown;
  }
  if (pending == 0) return CleanupPhase::kRefused;
  return stalled ? CleanupPhase::kStalled : CleanupPhase::kDraining;
}

CleanupPhase PhaseOf(const CsvCleanup& csv, CleanupVerdictKind verdict, size_t pending) {
  if (!csv.facts.cleanup_enabled) return CleanupPhase::kDisabled;
  if (!csv.facts.OptedIn()) return CleanupPhase::kNotOptedIn;
  if (csv.facts.deleting()) return PhaseWhileDeleting(csv, verdict, pending);
  switch (verdict) {
    case CleanupVerdictKind::kAllowed:
      return CleanupPhase::kReady;
    case CleanupVerdictKind::kRefused:
      return CleanupPhase::kRefused;
    case CleanupVerdictKind::kUnknown:
      break;
  }
  return CleanupPhase::kUnknown;
}

}  // namespace

std::string_view ToString(CleanupPhase phase) {
  switch (phase) {
    case CleanupPhase::kDisabled:
      return "Disabled";
    case CleanupPhase::kNotOptedIn:
      return "NotOptedIn";
    case CleanupPhase::kReady:
      return "Ready";
    case CleanupPhase::kRefused:
      return "Refused";
    case CleanupPhase::kUnknown:
      return "Unknown";
    case CleanupPhase::kDeleting:
      return "Deleting";
    case CleanupPhase::kDraining:
      return "Draining";
    case CleanupPhase::kStalled:
      return "Stalled";
  }
  return "";
}

std::string ResourceOf(const CleanupOutlook& outlook, const PendingOperand& operand) {
  for (const OwnedResource& resource : outlook.resources) {
    if (resource.group == operand.group && resource.kind == operand.kind) {
      return StrCat(resource.plural, ".", resource.group);
    }
  }
  return "";
}

CleanupOutlook OutlookOf(const OutlookInputs& inputs) {
  const CsvCleanup& csv = *inputs.csv->cleanup;
  std::vector<GroupFacts> groups;
  for (const OperatorGroupPtr& group : inputs.groups) groups.push_back(FactsOf(*group));

  CleanupOutlook outlook;
  outlook.key = inputs.csv->key;
  outlook.csv_uid = inputs.csv->uid;
  outlook.created = inputs.csv->created;
  outlook.labels = inputs.csv->labels;
  outlook.enabled = csv.facts.cleanup_enabled;
  outlook.opted_in = csv.facts.HasFinalizer(kCleanupFinalizer);
  const CleanupVerdictKind verdict = Judge(inputs, groups, outlook.blockers);
  outlook.targets = TargetsOf(csv.facts, groups, inputs.selected.get());
  outlook.resources = ResourcesOf(csv);
  outlook.pending = csv.pending;
  outlook.pending_count = csv.pending.size();
  if (const SaidCondition* waiting = csv.Condition(kWaitingOnCleanup)) {
    outlook.pending_count = std::max(outlook.pending_count, CountIn(waiting->message).value_or(0));
  }
  outlook.started_at = csv.facts.deletion_timestamp;
  if (const SaidCondition* stalled = csv.Condition(kCleanupStalled)) {
    outlook.stalled_since = stalled->last_transition;
  }
  outlook.conditions = csv.conditions;
  outlook.phase = PhaseOf(csv, verdict, outlook.pending_count);
  return outlook;
}

}  // namespace steward::olm

#include "olm/cleanup/outlook.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/str_cat.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/status.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

std::vector<OwnedResource> ResourcesOf(const CsvCleanup& csv) {
  std::vector<OwnedResource> resources;
  for (const std::string& name : csv.facts.owned_crds) {
    // Every name of a definition has a dot.
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

// The inputs of the guards, as far as watched objects give them.
CleanupInputs WatchedInputs(const OutlookInputs& inputs) {
  CleanupInputs watched;
  watched.watched_only = true;
  watched.csv = Read<CsvFacts>::Ok(inputs.csv->cleanup->facts);
  watched.install_namespace =
      inputs.install_namespace == nullptr
          ? Read<InstallNamespaceFacts>::Absent()
          : Read<InstallNamespaceFacts>::Ok(FactsOf(*inputs.install_namespace));
  std::vector<GroupFacts> groups;
  for (const OperatorGroupPtr& group : inputs.groups) groups.push_back(FactsOf(*group));
  watched.groups = Read<std::vector<GroupFacts>>::Ok(std::move(groups));
  watched.selected = Read<std::vector<std::string>>::Ok(
      inputs.selected == nullptr ? std::vector<std::string>() : *inputs.selected);
  watched.others = OthersOf(inputs);
  // A condition from an earlier opt-in does not apply to the next one.
  watched.told_unconfirmed =
      watched.csv->OptedIn() && inputs.csv->cleanup->Condition(kOptInUnconfirmed) != nullptr;
  return watched;
}

// Uses the controllers' conditions, because the guards lack the live objects here.
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
  if (IsDefinition(operand)) return StrCat("customresourcedefinitions.", kDefinitionGroup);
  for (const OwnedResource& resource : outlook.resources) {
    if (resource.group == operand.group && resource.kind == operand.kind) {
      return StrCat(resource.plural, ".", resource.group);
    }
  }
  return "";
}

CleanupOutlook OutlookOf(const OutlookInputs& inputs) {
  const CsvCleanup& csv = *inputs.csv->cleanup;
  CleanupOutlook outlook;
  outlook.key = inputs.csv->key;
  outlook.csv_uid = inputs.csv->uid;
  outlook.created = inputs.csv->created;
  outlook.labels = inputs.csv->labels;
  outlook.enabled = csv.facts.cleanup_enabled;
  outlook.opted_in = csv.facts.HasFinalizer(kCleanupFinalizer);
  const CleanupInputs watched = WatchedInputs(inputs);
  Verdict verdict = CleanupVerdict(watched);
  outlook.blockers = std::move(verdict.blockers);
  outlook.targets = EffectiveTargets(watched);
  outlook.resources = ResourcesOf(csv);
  outlook.pending = csv.pending;
  const auto definitions = static_cast<size_t>(
      std::count_if(csv.pending.begin(), csv.pending.end(), IsDefinition<PendingOperand>));
  outlook.pending_count = csv.pending.size() - definitions;
  if (const SaidCondition* waiting = csv.Condition(kWaitingOnCleanup)) {
    outlook.pending_count = std::max(outlook.pending_count, CountIn(waiting->message).value_or(0));
  }
  outlook.started_at = csv.facts.deletion_timestamp;
  if (const SaidCondition* stalled = csv.Condition(kCleanupStalled)) {
    outlook.stalled_since = stalled->last_transition;
  }
  outlook.conditions = csv.conditions;
  outlook.phase = PhaseOf(csv, verdict.kind, outlook.pending_count + definitions);
  return outlook;
}

}  // namespace steward::olm

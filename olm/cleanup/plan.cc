#include "olm/cleanup/plan.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "olm/cleanup/record.h"

namespace steward::olm {
namespace {

CrdState StateOf(const Read<CrdFacts>& crd) {
  if (crd.unreadable()) return CrdState::kUnreadable;
  if (crd.absent()) return CrdState::kGone;
  if (crd->terminating) return CrdState::kTerminating;
  return crd->established ? CrdState::kServed : CrdState::kNotEstablished;
}

CrdPlan PlanOf(const std::string& name, const Read<CrdFacts>& crd) {
  CrdPlan plan;
  plan.crd = name;
  plan.state = StateOf(crd);
  plan.why_unreadable = crd.why();
  if (!crd.ok()) return plan;
  plan.uid = crd->uid;
  plan.group = crd->group;
  plan.plural = crd->plural;
  plan.kind = crd->kind;
  plan.cluster_scoped = crd->cluster_scoped;
  plan.aggregated = crd->aggregated;
  plan.versions = crd->versions;
  plan.kept = crd->kept;
  return plan;
}

// Compares the UID, because a definition that was created anew under the same name is another
// object.
bool IsAmong(const std::map<std::string, RecordedDefinition>& definitions, const CrdFacts& crd) {
  const auto found = definitions.find(crd.name);
  return found != definitions.end() && found->second.uid == crd.uid;
}

}  // namespace

std::vector<CrdPlan> PlanCleanup(const CleanupInputs& inputs, const TargetSet& targets,
                                 const TargetSet& drain) {
  // Deletions stay within both the annotation and the remembered record; waiting always covers the
  // whole remembered record.
  const std::optional<CleanupRecord> waited_for = RecordOf(inputs);
  std::optional<CleanupRecord> permitted = waited_for;
  if (inputs.csv->record.has_value()) {
    const absl::StatusOr<CleanupRecord> written = DecodeRecord(*inputs.csv->record);
    if (permitted.has_value() && written.ok()) permitted = permitted->Intersect(*written);
  }
  std::vector<CrdPlan> plans;
  for (const std::string& name : DefinitionsOf(inputs)) {
    const auto found = inputs.crds.find(name);
    CrdPlan plan = PlanOf(name, found == inputs.crds.end() ? Read<CrdFacts>() : found->second);
    if (found == inputs.crds.end() || !found->second.ok()) {
      plans.push_back(std::move(plan));
      continue;
    }
    const CrdFacts& crd = *found->second;
    if (plan.kept.empty() && permitted.has_value() && !IsAmong(permitted->definitions, crd)) {
      plan.kept = kNotRecorded;
    }
    if (plan.kept.empty() && !inputs.csv->owned_crds.contains(name)) plan.kept = kNoLongerOwned;
    const bool everywhere = targets.all() || !crd.cluster_scoped;
    if (plan.kept.empty() && everywhere) plan.targets = targets;
    const bool begun = waited_for.has_value() ? IsAmong(waited_for->definitions, crd) : true;
    if (begun && (drain.all() || !crd.cluster_scoped)) plan.drain = drain;
    if (plan.kept.empty() && crd.cluster_scoped && !targets.all() && !drain.all()) {
      plan.kept = kClusterScoped;
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

OperandFate FateOf(const CrdPlan& plan, std::string_view ns, bool deleting) {
  if (deleting) {
    return plan.targets.Contains(ns) || plan.drain.Contains(ns) ? OperandFate::kWait
                                                                : OperandFate::kKeep;
  }
  return plan.targets.Contains(ns) ? OperandFate::kDelete : OperandFate::kKeep;
}

}  // namespace steward::olm

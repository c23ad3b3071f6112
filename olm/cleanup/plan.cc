#include "olm/cleanup/plan.h"

namespace steward::olm {
namespace {

CrdState StateOf(const Read<CrdFacts>& crd) {
  if (crd.unreadable()) return CrdState::kUnreadable;
  if (crd.absent()) return CrdState::kGone;
  if (crd->terminating) return CrdState::kTerminating;
  return crd->established ? CrdState::kServed : CrdState::kNotEstablished;
}

}  // namespace

std::vector<CrdPlan> PlanCleanup(const std::set<std::string>& owned,
                                 const std::map<std::string, Read<CrdFacts>>& crds,
                                 const TargetSet& targets, const TargetSet& drain) {
  std::vector<CrdPlan> plans;
  for (const std::string& name : owned) {
    const auto found = crds.find(name);
    const Read<CrdFacts> crd = found == crds.end() ? Read<CrdFacts>() : found->second;
    CrdPlan plan;
    plan.crd = name;
    plan.state = StateOf(crd);
    plan.why_unreadable = crd.why();
    if (crd.ok()) {
      plan.group = crd->group;
      plan.plural = crd->plural;
      plan.kind = crd->kind;
      plan.cluster_scoped = crd->cluster_scoped;
      plan.aggregated = crd->aggregated;
      plan.versions = crd->versions;
      plan.targets = targets;
      plan.drain = drain;
      if (crd->cluster_scoped && !targets.all()) plan.targets = TargetSet();
      if (crd->cluster_scoped && !drain.all()) {
        plan.drain = TargetSet();
        plan.kept = "ClusterScoped";
      }
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

// What a verdict means for the custom resources of an operator: which are deleted, which are waited
// for, which are kept and why.
#ifndef OLM_CLEANUP_PLAN_H_
#define OLM_CLEANUP_PLAN_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

enum class CrdState {
  kGone,            // nothing is stored
  kNotEstablished,  // nothing is stored yet
  kTerminating,     // its objects go with it: pending until it is gone
  kServed,
  kUnreadable,
};

// One owned definition.
struct CrdPlan {
  std::string crd;
  CrdState state = CrdState::kUnreadable;
  std::string why_unreadable;
  std::string group;
  std::string plural;
  std::string kind;
  bool cluster_scoped = false;
  bool aggregated = false;            // as in CrdFacts: each object tells its scope
  std::vector<std::string> versions;  // to be asked in this order until one answers
  TargetSet targets;                  // here CRs are deleted
  TargetSet drain;                    // here CRs that are being deleted are waited for
  std::string kept;                   // why its CRs are all kept; "" where they are not

  kube::GroupVersionResource Resource(const std::string& version) const {
    return {group, version, plural};
  }
  bool operator==(const CrdPlan&) const = default;
};

// One for each of `owned`, in its order. Cluster-scoped objects belong to no list of namespaces
// (R-000-68): they are deleted where the targets are all of the cluster, and else kept.
std::vector<CrdPlan> PlanCleanup(const std::set<std::string>& owned,
                                 const std::map<std::string, Read<CrdFacts>>& crds,
                                 const TargetSet& targets, const TargetSet& drain);

enum class OperandFate {
  kDelete,  // to be deleted
  kWait,    // being deleted, and waited for
  kKeep,
};
// Of a CR in `ns` ("" = cluster-scoped). Everything but kKeep is pending.
OperandFate FateOf(const CrdPlan& plan, std::string_view ns, bool deleting);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PLAN_H_

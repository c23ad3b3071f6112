// The consequences of a verdict for an operator's custom resources: which are deleted, which are
// waited for, which are kept and why. Pure functions.
#ifndef OLM_CLEANUP_PLAN_H_
#define OLM_CLEANUP_PLAN_H_

#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"

namespace steward::olm {

enum class CrdState {
  kGone,            // nothing can be stored any more
  kNotEstablished,  // nothing can be stored yet
  kTerminating,     // its objects go with it: pending until it is gone
  kServed,
  kUnreadable,
};

// The plan for one owned definition.
struct CrdPlan {
  std::string crd;
  std::string uid;  // of the definition; "" = it is not known
  CrdState state = CrdState::kUnreadable;
  std::string why_unreadable;
  std::string group;
  std::string plural;
  std::string kind;
  bool cluster_scoped = false;
  bool aggregated = false;            // as in CrdFacts: each object shows its scope
  std::vector<std::string> versions;  // tried in this order until one answers
  TargetSet targets;                  // where CRs are deleted
  TargetSet drain;                    // where CRs that are being deleted are waited for
  std::string kept;  // the reason why no CR of it is deleted: kClusterScoped, ...; "" = some may be

  kube::GroupVersionResource Resource(const std::string& version) const {
    return {group, version, plural};
  }
  bool operator==(const CrdPlan&) const = default;
};

// Reasons why CRs are kept, besides those of CrdFacts::kept.
inline constexpr std::string_view kClusterScoped = "ClusterScoped";  // R-000-68
inline constexpr std::string_view kNotRecorded = "NotRecorded";      // R-000-62
inline constexpr std::string_view kNoLongerOwned = "NoLongerOwned";  // R-000-62

// One plan for each definition that the operator owns or that was recorded, sorted by name. CRs are
// deleted within `targets`, of definitions that are owned and recorded (all owned ones before there
// is a record) and still the same object. Cluster-scoped CRs belong to no list of namespaces: they
// are deleted only when the targets are the whole cluster. CRs of every recorded definition are
// waited for within `drain`. REQUIRES: inputs.csv.ok()
std::vector<CrdPlan> PlanCleanup(const CleanupInputs& inputs, const TargetSet& targets,
                                 const TargetSet& drain);

enum class OperandFate {
  kDelete,  // to be deleted
  kWait,    // being deleted already, and waited for
  kKeep,
};
// The fate of a CR in `ns` ("" = cluster-scoped). Everything but kKeep is pending.
OperandFate FateOf(const CrdPlan& plan, std::string_view ns, bool deleting);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PLAN_H_

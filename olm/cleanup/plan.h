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
  kTerminating,     // being deleted with its objects: pending until the definition is gone
  kServed,
  kUnreadable,
};

// The plan for one owned definition.
struct CrdPlan {
  std::string crd;
  std::string uid;  // of the definition; "" = unknown
  CrdState state = CrdState::kUnreadable;
  std::string why_unreadable;
  std::string group;
  std::string plural;
  std::string kind;
  bool cluster_scoped = false;
  bool aggregated = false;            // as in CrdFacts: only each object's metadata shows the scope
  std::vector<std::string> versions;  // tried in this order until one answers
  TargetSet targets;                  // where CRs are deleted
  TargetSet drain;                    // where cleanup waits for CRs that are being deleted
  std::string kept;  // why its CRs are kept: kClusterScoped, ...; "" = some may be deleted

  // False if no object of the definition can exist, or if that is unknown (kUnreadable).
  bool HasObjects() const { return state == CrdState::kServed || state == CrdState::kTerminating; }
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
// deleted within `targets` if their definition is owned, recorded (once there is a record) and
// still the same object. Cluster-scoped CRs are deleted only when `targets` is the whole cluster,
// because no list of namespaces contains them. Cleanup waits for the CRs of every recorded
// definition within `drain`. REQUIRES: inputs.csv.ok()
std::vector<CrdPlan> PlanCleanup(const CleanupInputs& inputs, const TargetSet& targets,
                                 const TargetSet& drain);

enum class OperandFate {
  kDelete,  // to be deleted
  kWait,    // being deleted already: cleanup waits for it
  kKeep,
};
// The fate of a CR in `ns` ("" = cluster-scoped). Everything but kKeep is pending.
OperandFate FateOf(const CrdPlan& plan, std::string_view ns, bool deleting);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PLAN_H_

// What a verdict means for the custom resources of an operator: which are deleted, which are waited
// for, which are kept and why.
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
  std::string kept;  // why no CR of it is deleted: kClusterScoped, ...; "" = some may be

  kube::GroupVersionResource Resource(const std::string& version) const {
    return {group, version, plural};
  }
  bool operator==(const CrdPlan&) const = default;
};

// Reasons for which CRs are kept, beside those of CrdFacts::kept.
inline constexpr std::string_view kClusterScoped = "ClusterScoped";  // R-000-68
inline constexpr std::string_view kNotRecorded = "NotRecorded";      // R-000-62
inline constexpr std::string_view kNoLongerOwned = "NoLongerOwned";  // R-000-62

// One for each definition that the operator owns or that was recorded, sorted by name. CRs are
// deleted where `targets` says, of definitions that are owned and recorded (all owned ones before
// there is a record) and still the same object. Cluster-scoped CRs belong to no list of namespaces:
// they are deleted where the targets are all of the cluster. CRs of everything that was recorded
// are waited for where `drain` says. REQUIRES: inputs.csv.ok()
std::vector<CrdPlan> PlanCleanup(const CleanupInputs& inputs, const TargetSet& targets,
                                 const TargetSet& drain);

enum class OperandFate {
  kDelete,  // to be deleted
  kWait,    // being deleted, and waited for
  kKeep,
};
// Of a CR in `ns` ("" = cluster-scoped). Everything but kKeep is pending.
OperandFate FateOf(const CrdPlan& plan, std::string_view ns, bool deleting);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_PLAN_H_

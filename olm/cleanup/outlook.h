// What a cleanup has come to, or would come to, as far as watched objects tell: the value behind
// CleanupStatus (R-PRJ-06, R-000-47).
#ifndef OLM_CLEANUP_OUTLOOK_H_
#define OLM_CLEANUP_OUTLOOK_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/objects.h"

namespace steward::olm {

enum class CleanupPhase {
  kDisabled,    // spec.cleanup.enabled is not true
  kNotOptedIn,  // the finalizer is not there
  // Before the delete: what would become of it.
  kReady,
  kRefused,
  kUnknown,
  // While it is being deleted, and the last two of before.
  kDeleting,
  kDraining,  // refused, and what is being deleted already is waited for
  kStalled,   // the controllers see no progress
};
// "Disabled", ...
std::string_view ToString(CleanupPhase phase);

// A definition that the operator owns: `plural`.`group`.
struct OwnedResource {
  std::string group;
  std::string kind;
  std::string plural;
  bool operator==(const OwnedResource&) const = default;
};

// Nothing is left out of it that some readers must not see: objects of other namespaces have their
// names in here.
struct CleanupOutlook {
  kube::NamespacedName key;  // of the ClusterServiceVersion, as the next three
  std::string csv_uid;
  std::string created;    // RFC 3339
  kube::LabelMap labels;  // those that a copy keeps

  bool enabled = false;   // spec.cleanup.enabled
  bool opted_in = false;  // the finalizer is there
  CleanupPhase phase = CleanupPhase::kDisabled;
  // All that is known to stand in the way, also before anybody opts in. What only a live look tells
  // (definitions, Deployments, the admission policies) is not among them, except that the
  // controllers say by a condition that the opt-in is not confirmed.
  std::vector<CleanupBlocker> blockers;
  // Where custom resources may be deleted: the record, the OperatorGroup's spec and its status, as
  // far as they are there. None without exactly one OperatorGroup in force.
  TargetSet targets;
  std::vector<OwnedResource> resources;  // sorted by name of the definition

  std::vector<PendingOperand> pending;  // sorted; the first kMaxPendingInstances
  size_t pending_count = 0;             // of all
  std::string started_at;               // the deletionTimestamp; "" = it is not being deleted
  std::string stalled_since;            // RFC 3339; "" = it is not
  std::vector<SaidCondition> conditions;

  bool operator==(const CleanupOutlook&) const = default;
};

// "widgets.example.com"; "" when no owned definition is of the operand's group and kind.
std::string ResourceOf(const CleanupOutlook& outlook, const PendingOperand& operand);

// Who else has to do with a definition: ClusterServiceVersions that are no proven copies, sorted.
struct CrdUsers {
  std::vector<kube::NamespacedName> owners;
  std::vector<kube::NamespacedName> requirers;
  bool operator==(const CrdUsers&) const = default;
};

// Equal when nothing was replaced: objects are compared by place.
struct OutlookInputs {
  CsvPtr csv;
  NamespacePtr install_namespace;        // null = there is none
  std::vector<OperatorGroupPtr> groups;  // of the install namespace
  // What the selector of the one group matches; null = it has none.
  std::shared_ptr<const std::vector<std::string>> selected;
  // Of the owned definitions, in their order. The operator itself may be among them.
  std::vector<std::shared_ptr<const CrdUsers>> users;
  // Those of its namespace that say that they replace it; null = none.
  std::shared_ptr<const std::vector<kube::NamespacedName>> replacers;

  bool operator==(const OutlookInputs&) const = default;
};

// Pure. REQUIRES: csv is no copy, and has its CsvCleanup.
CleanupOutlook OutlookOf(const OutlookInputs& inputs);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_OUTLOOK_H_

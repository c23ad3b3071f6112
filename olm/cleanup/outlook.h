// The state of a cleanup, or its expected result, as far as watched objects show it: the value
// behind CleanupStatus (R-PRJ-06, R-000-47). Values and pure functions.
#ifndef OLM_CLEANUP_OUTLOOK_H_
#define OLM_CLEANUP_OUTLOOK_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"

namespace steward::olm {

enum class CleanupPhase {
  kDisabled,    // spec.cleanup.enabled is not true
  kNotOptedIn,  // the finalizer is missing
  // Before the delete: the expected result.
  kReady,
  kRefused,
  kUnknown,
  // While the operator is being deleted; kRefused and kUnknown occur here, too.
  kDeleting,
  kDraining,  // refused; waits for deletions that were already sent
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

// Includes names of objects in other namespaces. Callers must hide them from users who may not see
// them.
struct CleanupOutlook {
  kube::NamespacedName key;  // the next three, too: of the ClusterServiceVersion
  std::string csv_uid;
  std::string created;    // RFC 3339
  kube::LabelMap labels;  // those that a copy keeps

  bool enabled = false;   // spec.cleanup.enabled
  bool opted_in = false;  // the finalizer is there
  CleanupPhase phase = CleanupPhase::kDisabled;
  // All known blockers, also before the opt-in. Lacks blockers that only a live read can show
  // (definitions, Deployments, the admission policies). Has an unconfirmed opt-in, though, because
  // a condition of the controllers reports it.
  std::vector<CleanupBlocker> blockers;
  // The namespaces where custom resources may be deleted: the intersection of the record, the
  // OperatorGroup's spec and its status, as far as they exist. None without exactly one
  // OperatorGroup in force.
  TargetSet targets;
  std::vector<OwnedResource> resources;  // sorted by name of the definition

  std::vector<PendingOperand> pending;  // sorted; the first kMaxPendingInstances
  size_t pending_count = 0;             // of all pending CRs; definitions do not count
  std::string started_at;               // the deletionTimestamp; "" = it is not being deleted
  std::string stalled_since;            // RFC 3339; "" = not stalled
  std::vector<SaidCondition> conditions;

  bool operator==(const CleanupOutlook&) const = default;
};

// "widgets.example.com"; "" when no owned definition is of the operand's group and kind.
std::string ResourceOf(const CleanupOutlook& outlook, const PendingOperand& operand);

// The other ClusterServiceVersions that own or require a definition, without proven copies, sorted.
struct CrdUsers {
  std::vector<kube::NamespacedName> owners;
  std::vector<kube::NamespacedName> requirers;
  bool operator==(const CrdUsers&) const = default;
};

// Objects are compared by address, so equal inputs mean that no object was replaced.
struct OutlookInputs {
  CsvPtr csv;
  NamespacePtr install_namespace;        // null = there is none
  std::vector<OperatorGroupPtr> groups;  // of the install namespace
  // The namespaces that the selector of the only group matches; null = it has no selector.
  std::shared_ptr<const std::vector<std::string>> selected;
  // The users of each owned definition, in the order of owned_crds. The operator itself may be
  // among them.
  std::vector<std::shared_ptr<const CrdUsers>> users;
  // The ClusterServiceVersions of the same namespace whose spec.replaces names `csv`; null = none.
  std::shared_ptr<const std::vector<kube::NamespacedName>> replacers;

  bool operator==(const OutlookInputs&) const = default;
};

// REQUIRES: csv is no copy, and has its CsvCleanup.
CleanupOutlook OutlookOf(const OutlookInputs& inputs);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_OUTLOOK_H_

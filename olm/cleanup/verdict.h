// May the operands of an operator that is being uninstalled be deleted? One pure function, for the
// reconciler, for CleanupStatus and for previews.
#ifndef OLM_CLEANUP_VERDICT_H_
#define OLM_CLEANUP_VERDICT_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

// Other ClusterServiceVersions, no proven copies, that stand in the way of one.
struct OtherOperators {
  std::vector<kube::NamespacedName> owners;     // of definitions that it owns
  std::vector<kube::NamespacedName> requirers;  // of those
  std::vector<kube::NamespacedName> replacers;  // of it
};

// Everything that the guards read. What was not read is unreadable; an entry that a map lacks was
// not read.
struct CleanupInputs {
  Read<CsvFacts> csv;
  // Read once it was known that the ClusterServiceVersion is being deleted.
  Read<CsvDefinitionFacts> csv_definition;
  Read<InstallNamespaceFacts> install_namespace;
  Read<std::vector<GroupFacts>> groups;  // OperatorGroups of the install namespace
  // Namespaces that the group's selector matches. Counts only for a group that has one.
  Read<std::vector<std::string>> selected;
  // Of the whole cluster, live: all but the proven copies (copy_claims.h).
  Read<std::vector<CsvFacts>> csvs;
  std::vector<CsvFacts> known;  // of the whole cluster, as watched: perhaps of the past
  std::map<std::string, Read<CrdFacts>> crds;                // by name
  std::map<std::string, Read<DeploymentFacts>> deployments;  // by name
  Read<ProtectionFacts> protection;
  // --allow-unprotected-opt-in: `protection` does not count.
  bool allow_unprotected = false;
  // Nothing that Steward knows runs operators' Deployments (`steward up`): they do not count.
  bool without_deployments = false;
  // Counted elsewhere, in place of `csvs` and `known`.
  std::optional<OtherOperators> others;
  // Only what is watched is judged: no definitions, no Deployments, no `protection`.
  bool watched_only = false;
  // With `watched_only`: the controllers say that the opt-in is not confirmed (R-000-76).
  bool told_unconfirmed = false;
  // What was recorded for this object before, as far as this process remembers.
  std::optional<CleanupRecord> remembered;
};

enum class CleanupReason {
  // Refused, for what the ClusterServiceVersion itself says.
  kNotSupported,           // spec.cleanup.enabled is not true
  kNotOptedIn,             // the finalizer is not there
  kCopied,                 // R-000-72
  kPhaseNotSucceeded,      // R-000-46, R-000-65
  kOperatorGone,           // R-000-73b
  kOrphanRequested,        // --cascade=orphan
  kOperandDeleteDisabled,  // the author's annotation
  kInvalidSpec,            // the spec cannot be understood
  kOwnsOlmKinds,           // it owns kinds that other operators are made of
  kRefusedBefore,          // R-000-60
  kRecordInvalid,          // the record was edited
  kRecordOfAnotherObject,  // the record speaks of another object of this name
  kRecordRemoved,          // there was a record, and there is none
  kRightsReleased,         // R-000-89
  // Refused, for what else there is.
  kCsvDefinitionTerminating,     // nobody was asked about the deletion
  kInstallNamespaceTerminating,  // R-000-75
  kOperatorGroupGone,            // R-000-75
  kOperatorGroupNotUnique,       // R-000-63
  kOperatorGroupInvalid,
  kOperatorGroupChanged,  // R-000-62
  kSharedOwner,           // R-000-59
  kRequiredByOther,       // R-000-61
  kBeingReplaced,         // another one says that it replaces this one
  kOptInNotProtected,     // R-000-74
  kDeletionNotProtected,  // R-000-77
  kOptInUnconfirmed,      // R-000-76
  // Unknown.
  kUnreadable,
  kOperatorGroupNotSynced,  // R-000-62
};
// "NotSupported", ...
std::string_view ToString(CleanupReason reason);

// How much a blocker says (R-000-66).
enum class BlockerWeight {
  kOwn,      // the ClusterServiceVersion itself forbids it, whatever else could be read
  kUnknown,  // something could not be read
  kOther,    // something else forbids it
};

// Why not. `objects` are those to look at: "ns/name", or a name alone, sorted, a hundred at most.
struct CleanupBlocker {
  CleanupReason reason;
  std::string message;
  std::vector<std::string> objects;
  BlockerWeight weight = BlockerWeight::kOther;
  bool operator==(const CleanupBlocker&) const = default;
};

enum class CleanupVerdictKind { kAllowed, kRefused, kUnknown };
// "Allowed", ...
std::string_view ToString(CleanupVerdictKind kind);

struct Verdict {
  CleanupVerdictKind kind = CleanupVerdictKind::kUnknown;
  std::vector<CleanupBlocker> blockers;  // empty exactly when allowed
  // Where CRs may be deleted: record ∩ OperatorGroup spec ∩ its status.namespaces. Empty unless
  // allowed.
  TargetSet targets;
  // What to record before the first DELETE, when allowed and there is no record.
  std::optional<CleanupRecord> to_record;

  bool allowed() const { return kind == CleanupVerdictKind::kAllowed; }
  bool IsBlockedBy(CleanupReason reason) const;
};

// All blockers, in the order own, unknown, other; the kind follows from them alone: Refused when
// the ClusterServiceVersion itself forbids it, whatever else could be read; else Unknown when
// anything could not be read; else Refused when anything else forbids it. Pure; a
// ClusterServiceVersion that is not being deleted is judged as if it were. The reconciler,
// CleanupStatus and previews decide by this function (R-000-59).
Verdict CleanupVerdict(const CleanupInputs& inputs);

// Whether a DELETE may have been sent for this object, by this process or by one before it
// (R-000-86). REQUIRES: inputs.csv.ok()
bool MayHaveSent(const CleanupInputs& inputs);

// Nobody is left who could finish custom resources: the install namespace is going, and so are the
// operator's Deployments (R-000-86). REQUIRES: inputs.csv.ok()
bool NobodyCanFinish(const CleanupInputs& inputs);

// The record by which emptiness is judged: what this process remembers, which nobody can edit, else
// what the annotation says of this object; nullopt when there is neither.
// REQUIRES: inputs.csv.ok()
std::optional<CleanupRecord> RecordOf(const CleanupInputs& inputs);

// Definitions that the operator owns or that were recorded, by name (R-000-62).
// REQUIRES: inputs.csv.ok()
std::set<std::string> DefinitionsOf(const CleanupInputs& inputs);

// Where CRs have to have ended before the finalizer goes: the record, however much has been dropped
// since. When a record was lost, what the OperatorGroup's spec says now, or everywhere. Nothing
// when nothing was ever sent. Unreadable when it cannot be known.
Read<TargetSet> DrainTargets(const CleanupInputs& inputs);

// Where CRs may be deleted, as far as it is there: the record, the OperatorGroup's spec and its
// status. None without exactly one OperatorGroup that means something, and none when a record is
// there and cannot be read. REQUIRES: inputs.csv.ok()
TargetSet EffectiveTargets(const CleanupInputs& inputs);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_VERDICT_H_

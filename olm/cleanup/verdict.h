// The verdict on deleting the operands of an operator that is being uninstalled. Pure functions,
// for the reconciler, for CleanupStatus and for previews.
#ifndef OLM_CLEANUP_VERDICT_H_
#define OLM_CLEANUP_VERDICT_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

// Other ClusterServiceVersions, without proven copies, that block the cleanup of this one.
struct OtherOperators {
  std::vector<kube::NamespacedName> owners;     // of definitions that it owns
  std::vector<kube::NamespacedName> requirers;  // of definitions that it owns
  std::vector<kube::NamespacedName> replacers;  // of it
};

// A ClusterServiceVersion that was found to be gone `ago`.
struct DepartedCsv {
  CsvFacts csv;
  absl::Duration ago;
};

// How a ClusterServiceVersion was deleted.
enum class DeletionMode {
  kNotAsked,     // no watch is needed: the finalizers show the mode
  kNotShownYet,  // the watch has not shown it
  kUnseen,       // nobody watched at that time
  kBackground,
  kForeground,
  kOrphan,
};

// The inputs of all guards. Whatever was not read is unreadable; so is an entry that a map lacks.
struct CleanupInputs {
  Read<CsvFacts> csv;
  // Must be read after the ClusterServiceVersion was known to be deleted.
  Read<CsvDefinitionFacts> csv_definition;
  Read<InstallNamespaceFacts> install_namespace;
  Read<std::vector<GroupFacts>> groups;  // OperatorGroups of the install namespace
  // Namespaces that the group's selector matches. Ignored for a group without a selector.
  Read<std::vector<std::string>> selected;
  // The live list of the whole cluster without the proven copies (copy_claims.h).
  Read<std::vector<CsvFacts>> csvs;
  std::vector<CsvFacts> known;  // of the whole cluster, as watched: possibly outdated
  // Objects of the whole cluster that were deleted a moment ago without having been opted in, and
  // that this one does not replace. (An opted-in one leaves kRefusalAnnotation on its co-owners.)
  std::vector<DepartedCsv> departed;
  std::map<std::string, Read<CrdFacts>> crds;                // by name
  std::map<std::string, Read<DeploymentFacts>> deployments;  // by name
  Read<ProtectionFacts> protection;
  // --allow-unprotected-opt-in: `protection` is ignored.
  bool allow_unprotected = false;
  // As a watch has seen it. Needed only if no admission policy protects deletions: the finalizers
  // do not show the mode for long, because the garbage collector removes its own at once.
  DeletionMode deletion_mode = DeletionMode::kNotAsked;
  // Ignores Deployments: under `steward up` nothing is known to run operators' Deployments.
  bool without_deployments = false;
  // If set, replaces what the guards would compute from `csvs` and `known`.
  std::optional<OtherOperators> others;
  // OLM has had enough time to delete copies whose original is gone: copies that are still there
  // count as operators of their own.
  bool copies_had_time = false;
  // Judges watched objects only: no definitions, no Deployments, no `protection`.
  bool watched_only = false;
  // With `watched_only`: a condition of the controllers says that the opt-in is not confirmed
  // (R-000-76).
  bool told_unconfirmed = false;
  // The record written earlier for this object, as this process remembers it.
  std::optional<CleanupRecord> remembered;
};

enum class CleanupReason {
  // Refused because of the ClusterServiceVersion itself.
  kNotSupported,           // spec.cleanup.enabled is not true
  kNotOptedIn,             // the finalizer is not there
  kCopied,                 // R-000-72
  kPhaseNotSucceeded,      // R-000-46, R-000-65
  kOperatorGone,           // R-000-73b
  kOrphanRequested,        // --cascade=orphan
  kOperandDeleteDisabled,  // the author's annotation
  kHasOwners,              // the garbage collector deletes the CSV when its owners go
  kInvalidSpec,            // the spec cannot be understood
  kOwnsOlmKinds,           // the CSV owns kinds that OLM itself consists of
  kRefusedBefore,          // R-000-60
  kRecordInvalid,          // the record was edited
  kRecordOfAnotherObject,  // the record belongs to another object of this name
  kRecordRemoved,          // there was a record, and now there is none
  kRightsReleased,         // R-000-89
  // Refused because of other objects.
  kCsvDefinitionTerminating,     // no policy was asked about the deletion
  kInstallNamespaceTerminating,  // R-000-75
  kOperatorGroupGone,            // R-000-75
  kOperatorGroupNotUnique,       // R-000-63
  kOperatorGroupInvalid,
  kOperatorGroupChanged,  // R-000-62
  kSharedOwner,           // R-000-59
  kRequiredByOther,       // R-000-61
  kRecordTooLarge,        // there is no room for the record beside the other annotations
  kBeingReplaced,         // another ClusterServiceVersion replaces this one
  kOptInNotProtected,     // R-000-74
  kDeletionNotProtected,  // R-000-77
  kOptInUnconfirmed,      // R-000-76
  // Unknown.
  kUnreadable,
  kOperatorGroupUnreadable,  // its spec or status does not have the form that it should have
  kOperatorGroupNotSynced,   // R-000-62
  kCopiesLeft,               // OLM has yet to delete copies whose original is gone
};
// "NotSupported", ...
std::string_view ToString(CleanupReason reason);

// The weight of a blocker (R-000-66).
enum class BlockerWeight {
  kOwn,      // the ClusterServiceVersion itself forbids it, even when other reads failed
  kUnknown,  // something could not be read
  kOther,    // another object forbids it
};

// A reason against deletion. `objects` names what to look at: "ns/name" or a name alone, sorted, at
// most a hundred.
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
  // The namespaces where CRs may be deleted: record ∩ OperatorGroup spec ∩ its status.namespaces.
  // Empty unless allowed.
  TargetSet targets;
  // The record to write before the first DELETE, when allowed and there is no record yet.
  std::optional<CleanupRecord> to_record;

  bool allowed() const { return kind == CleanupVerdictKind::kAllowed; }
  bool IsBlockedBy(CleanupReason reason) const;
  // True if the author or an administrator has chosen to keep the operands.
  bool KeepsByChoice() const;
};

// All blockers, in the order own, unknown, other. The kind follows from them alone: Refused when
// the ClusterServiceVersion itself forbids deletion, even when other reads failed; else Unknown
// when anything could not be read; else Refused when anything else forbids it. A
// ClusterServiceVersion that is not being deleted is judged as if it were. The reconciler,
// CleanupStatus and previews all decide by this function (R-000-59).
Verdict CleanupVerdict(const CleanupInputs& inputs);

// True when a DELETE may have been sent for this object, by this process or an earlier one
// (R-000-86). REQUIRES: inputs.csv.ok()
bool MayHaveSent(const CleanupInputs& inputs);

// The record of what could be cleaned up now. Lacks definitions that were not read. REQUIRES:
// inputs.csv.ok(), and there is exactly one group
CleanupRecord NewRecord(const CleanupInputs& inputs);

// True when the record covers custom resources that `verdict` no longer deletes. They would be
// kept, but one whose DELETE was sent and not answered may still be deleted at any time (R-000-78).
// REQUIRES: inputs.csv.ok(); `verdict` is the verdict on `inputs`.
bool MayLeaveRecorded(const CleanupInputs& inputs, const Verdict& verdict);

// True when the operator can no longer finish its custom resources: the install namespace is gone
// or being deleted, and so are the operator's Deployments (R-000-86). REQUIRES: inputs.csv.ok()
bool NobodyCanFinish(const CleanupInputs& inputs);

// The record that decides which operands must be gone: `inputs.remembered`, because nobody can edit
// it, else the record in the object's annotation; nullopt when there is neither. REQUIRES:
// inputs.csv.ok()
std::optional<CleanupRecord> RecordOf(const CleanupInputs& inputs);

// Definitions that the operator owns or that were recorded, by name (R-000-62).
// REQUIRES: inputs.csv.ok()
std::set<std::string> DefinitionsOf(const CleanupInputs& inputs);

// The namespaces where CRs must be gone before the finalizer is removed: the targets of the record,
// even those dropped since. If the record was lost: the current targets of the OperatorGroup's
// spec, or all namespaces. Empty if nothing was ever sent. Unreadable if the targets cannot be
// known.
Read<TargetSet> DrainTargets(const CleanupInputs& inputs);

// The namespaces where CRs may be deleted: the intersection of the record, the OperatorGroup's spec
// and its status, as far as they exist. None without exactly one OperatorGroup with usable targets,
// and none when a record exists but cannot be read. REQUIRES: inputs.csv.ok()
TargetSet EffectiveTargets(const CleanupInputs& inputs);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_VERDICT_H_

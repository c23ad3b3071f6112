// May the operands of an operator that is being uninstalled be deleted? One pure function, for the
// reconciler, for CleanupStatus and for previews.
#ifndef OLM_CLEANUP_VERDICT_H_
#define OLM_CLEANUP_VERDICT_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

// Everything that the guards read. What was not read is unreadable; an entry that a map lacks was
// not read.
struct CleanupInputs {
  Read<CsvFacts> csv;
  Read<InstallNamespaceFacts> install_namespace;
  Read<std::vector<GroupFacts>> groups;  // OperatorGroups of the install namespace
  // Namespaces that the group's selector matches. Counts only for a group that has one.
  Read<std::vector<std::string>> selected;
  Read<std::vector<CsvFacts>> csvs;  // of the whole cluster, live
  std::vector<CsvFacts> known;       // of the whole cluster, as watched: perhaps of the past
  std::map<std::string, Read<CrdFacts>> crds;                // by name
  std::map<std::string, Read<DeploymentFacts>> deployments;  // by name
  Read<ProtectionFacts> protection;
  // --allow-unprotected-opt-in: `protection` does not count.
  bool allow_unprotected = false;
  // Nothing that Steward knows runs operators' Deployments (`steward up`): they do not count.
  bool without_deployments = false;
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
  // Refused, for what else there is.
  kInstallNamespaceTerminating,  // R-000-75
  kOperatorGroupGone,            // R-000-75
  kOperatorGroupNotUnique,       // R-000-63
  kOperatorGroupInvalid,
  kOperatorGroupChanged,  // R-000-62
  kSharedOwner,           // R-000-59
  kRequiredByOther,       // R-000-61
  kBeingReplaced,         // another one says that it replaces this one
  kOptInNotProtected,     // R-000-74
  // Unknown.
  kUnreadable,
  kOperatorGroupNotSynced,  // R-000-62
};
// "NotSupported", ...
std::string_view ToString(CleanupReason reason);

// Why not. `objects` are those to look at: "ns/name", or a name alone, sorted, a hundred at most.
struct CleanupBlocker {
  CleanupReason reason;
  std::string message;
  std::vector<std::string> objects;
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
};

// Refused when the ClusterServiceVersion itself forbids it, whatever else could be read; else
// unknown when anything could not be read; else refused when anything else forbids it. Pure; a
// ClusterServiceVersion that is not being deleted is judged as if it were.
Verdict CleanupVerdict(const CleanupInputs& inputs);

// The refusals that need nothing but the ClusterServiceVersion.
std::vector<CleanupBlocker> RefusalsOf(const CsvFacts& csv,
                                       const std::optional<CleanupRecord>& remembered);

// Where CRs have to have ended before the finalizer goes: the record, however much has been dropped
// since, as deletes may have been sent there; without one, what the OperatorGroup's spec says now.
// Nothing when there is neither: nothing was ever sent. Unreadable when it cannot be known.
Read<TargetSet> DrainTargets(const CleanupInputs& inputs);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_VERDICT_H_

// Names that cleanup shares with administrators, with OLM and with its own later runs. Constants.
#ifndef OLM_CLEANUP_NAMES_H_
#define OLM_CLEANUP_NAMES_H_

#include <string_view>

namespace steward::olm {

// The administrator's opt-in (R-000-32) is kCleanupFinalizer of olm/copy.h.

// The finalizer of an earlier design: released, never acted on (R-001-33).
inline constexpr std::string_view kLegacyCleanupFinalizer = "operatorframework.io/cleanup-apis";
// The finalizer that holds an operator's cluster-wide rights and webhooks while it is opted in
// (R-000-73).
inline constexpr std::string_view kHoldFinalizer = "steward.operatorframework.io/hold-rights";

// Annotations of a ClusterServiceVersion, written once it is being deleted, when OLM no longer
// updates its operator. The record of all that may be deleted (R-000-62):
inline constexpr std::string_view kRecordAnnotation = "steward.operatorframework.io/cleanup-record";
// The mark of a refusal. With any value, the object is never cleaned up: of two operators of one
// kind that are uninstalled together both are released (R-000-60), in whichever order they are
// processed.
inline constexpr std::string_view kRefusalAnnotation =
    "steward.operatorframework.io/cleanup-refused";
// Written before the operator's rights are released, and final (R-000-89): with any value, nothing
// of this object is deleted any more, and the finalizer is removed. The value is kCompleted, or the
// reason of a refusal.
inline constexpr std::string_view kRightsReleasedAnnotation =
    "steward.operatorframework.io/rights-released";
inline constexpr std::string_view kCompleted = "Completed";
// The annotation by which an operator's author asks that its operands are not deleted with it.
inline constexpr std::string_view kOptOutAnnotation = "console.openshift.io/disable-operand-delete";

// ValidatingAdmissionPolicies of deploy/base that Steward looks for: they control opting in
// (R-000-74), deleting an opted-in operator (R-000-77), and the label of copies (R-000-85).
inline constexpr std::string_view kOptInPolicy = "steward-cleanup-opt-in";
inline constexpr std::string_view kUninstallPolicy = "steward-cleanup-uninstall";
inline constexpr std::string_view kCopiedFromPolicy = "steward-cleanup-copied-from";

// The garbage collector's own finalizers: the caller's --cascade=foreground and =orphan.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// A label of a ClusterServiceVersion: PolicyFacts::proof of the opt-in policy under which an
// authorized user opted in (R-000-76). It is no annotation, because OLM copies annotations into the
// operator's pods and restarts them, unless the object is being deleted. On a copy, to which OLM
// copies it, it has no meaning.
inline constexpr std::string_view kConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed";

// Labels by which OLM marks the objects that it made for a ClusterServiceVersion.
inline constexpr std::string_view kOwnerLabel = "olm.owner";
inline constexpr std::string_view kOwnerNamespaceLabel = "olm.owner.namespace";
inline constexpr std::string_view kOwnerKindLabel = "olm.owner.kind";
inline constexpr std::string_view kOwnerKind = "ClusterServiceVersion";
// The label by which OLM marks a definition that it installed.
inline constexpr std::string_view kManagedLabel = "olm.managed";

}  // namespace steward::olm

#endif  // OLM_CLEANUP_NAMES_H_

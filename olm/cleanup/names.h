// The names by which cleanup speaks with administrators, OLM and itself.
#ifndef OLM_CLEANUP_NAMES_H_
#define OLM_CLEANUP_NAMES_H_

#include <string_view>

namespace steward::olm {

// The admin's opt-in (R-000-32) is kCleanupFinalizer of olm/copy.h.

// The finalizer of an earlier design: released, never acted on (R-001-33).
inline constexpr std::string_view kLegacyCleanupFinalizer = "operatorframework.io/cleanup-apis";
// What holds an operator's cluster-wide rights and webhooks while it is opted in (R-000-73).
inline constexpr std::string_view kHoldFinalizer = "steward.operatorframework.io/hold-rights";

// Annotations of a ClusterServiceVersion, written once it is being deleted: OLM looks at its
// operator no more. The record of what may be deleted (R-000-62):
inline constexpr std::string_view kRecordAnnotation = "steward.operatorframework.io/cleanup-record";
// Once it is there, with any value, this object is never cleaned up: two operators of one kind that
// are uninstalled together are both released (R-000-60), whichever is looked at last.
inline constexpr std::string_view kRefusalAnnotation =
    "steward.operatorframework.io/cleanup-refused";
// Written before the operator's rights are let go of, and final (R-000-89): once it is there, with
// any value, nothing of this object is deleted any more, and the finalizer goes. kCompleted, or why
// not.
inline constexpr std::string_view kRightsReleasedAnnotation =
    "steward.operatorframework.io/rights-released";
inline constexpr std::string_view kCompleted = "Completed";
// By which an operator says that its operands are not to be deleted with it.
inline constexpr std::string_view kOptOutAnnotation = "console.openshift.io/disable-operand-delete";

// ValidatingAdmissionPolicies of deploy/base, which Steward looks for: for opting in (R-000-74),
// for deleting what is opted in (R-000-77), and for the label by which copies are known (R-000-85).
inline constexpr std::string_view kOptInPolicy = "steward-cleanup-opt-in";
inline constexpr std::string_view kUninstallPolicy = "steward-cleanup-uninstall";
inline constexpr std::string_view kCopiedFromPolicy = "steward-cleanup-copied-from";

// The garbage collector's own finalizers: the caller's --cascade=foreground and =orphan.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// Label of a ClusterServiceVersion: the UID of the opt-in policy under which somebody who may opt
// in did so (R-000-76). No annotation: OLM puts those into the pods of the operator and starts them
// anew, as long as it is not being deleted. On a copy, to which OLM copies it, it means nothing.
inline constexpr std::string_view kConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed";

// By which OLM marks what it made for a ClusterServiceVersion.
inline constexpr std::string_view kOwnerLabel = "olm.owner";
inline constexpr std::string_view kOwnerNamespaceLabel = "olm.owner.namespace";
inline constexpr std::string_view kOwnerKindLabel = "olm.owner.kind";
inline constexpr std::string_view kOwnerKind = "ClusterServiceVersion";
// By which OLM marks a definition that it installed.
inline constexpr std::string_view kManagedLabel = "olm.managed";

}  // namespace steward::olm

#endif  // OLM_CLEANUP_NAMES_H_

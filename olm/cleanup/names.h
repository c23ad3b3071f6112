// Names that cleanup shares with administrators, with OLM and with its own later runs. Constants.
#ifndef OLM_CLEANUP_NAMES_H_
#define OLM_CLEANUP_NAMES_H_

#include <string_view>

namespace steward::olm {

// The administrator's opt-in (R-000-32) is kCleanupFinalizer of olm/copy.h; the annotations and
// labels that Steward writes into a ClusterServiceVersion are in olm/csv_facts.h.

// The finalizer of an earlier design: released, never acted on (R-001-33).
inline constexpr std::string_view kLegacyCleanupFinalizer = "operatorframework.io/cleanup-apis";
// The finalizer that holds an operator's cluster-wide rights and webhooks while it is opted in
// (R-000-73).
inline constexpr std::string_view kHoldFinalizer = "steward.operatorframework.io/hold-rights";

// ValidatingAdmissionPolicies of deploy/base that Steward looks for: they control opting in
// (R-000-74), deleting an opted-in operator (R-000-77), and the label of copies (R-000-85).
inline constexpr std::string_view kOptInPolicy = "steward-cleanup-opt-in";
inline constexpr std::string_view kUninstallPolicy = "steward-cleanup-uninstall";
inline constexpr std::string_view kCopiedFromPolicy = "steward-cleanup-copied-from";

// The garbage collector's own finalizers: the caller's --cascade=foreground and =orphan.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

// Labels by which OLM marks the objects that it made for a ClusterServiceVersion.
inline constexpr std::string_view kOwnerLabel = "olm.owner";
inline constexpr std::string_view kOwnerNamespaceLabel = "olm.owner.namespace";
inline constexpr std::string_view kOwnerKindLabel = "olm.owner.kind";
inline constexpr std::string_view kOwnerKind = "ClusterServiceVersion";
// The label by which OLM marks a definition that it installed.
inline constexpr std::string_view kManagedLabel = "olm.managed";

}  // namespace steward::olm

#endif  // OLM_CLEANUP_NAMES_H_

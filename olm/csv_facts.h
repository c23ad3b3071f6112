// The facts that cleanup needs from a ClusterServiceVersion. Values.
#ifndef OLM_CSV_FACTS_H_
#define OLM_CSV_FACTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "kube/meta/names.h"
#include "olm/pending_operand.h"

namespace steward::olm {

// The next three annotations are written only while a ClusterServiceVersion is being deleted,
// because OLM no longer updates its operator then. This one is the record of everything that may be
// deleted (R-000-62).
inline constexpr std::string_view kRecordAnnotation = "steward.operatorframework.io/cleanup-record";
// The mark of a refusal. With any value, the operands of this object are never deleted. So if two
// co-owners are uninstalled together, neither deletes operands (R-000-60), in whichever order they
// are processed.
inline constexpr std::string_view kRefusalAnnotation =
    "steward.operatorframework.io/cleanup-refused";
// Written before the operator's rights are released, and final (R-000-89). With any value, no more
// operands of this object are deleted, and the finalizer is removed. The value is kCompleted, or
// the reason of a refusal.
inline constexpr std::string_view kRightsReleasedAnnotation =
    "steward.operatorframework.io/rights-released";
inline constexpr std::string_view kCompleted = "Completed";
// The annotation with which an operator's author asks to keep the operands at uninstallation.
inline constexpr std::string_view kOptOutAnnotation = "console.openshift.io/disable-operand-delete";

// A label of a ClusterServiceVersion. Its value is PolicyFacts::proof of the opt-in policy under
// which an authorized user opted in (R-000-76). Not an annotation, because OLM copies annotations
// into the operator's pods and so restarts them, unless the object is being deleted. OLM copies the
// label to copied CSVs, where it has no meaning.
inline constexpr std::string_view kConfirmedLabel = "steward.operatorframework.io/opt-in-confirmed";

inline constexpr size_t kMaxConditions = 20;  // as OLM

// Reasons of Steward's own conditions. No decision depends on any of them.
inline constexpr std::string_view kWaitingOnCleanup = "WaitingOnCleanup";  // R-000-50
inline constexpr std::string_view kCleanupStalled = "CleanupStalled";
inline constexpr std::string_view kCleanupRefused = "CleanupRefused";
inline constexpr std::string_view kCleanupUnknown = "CleanupUnknown";
inline constexpr std::string_view kRightsHeld = "RightsHeld";
inline constexpr std::string_view kRightsMayBeLost = "RightsMayBeLost";
inline constexpr std::string_view kOptInUnconfirmed = "OptInUnconfirmed";  // R-000-76
// True when `reason` is one of the reasons above.
bool IsReasonOfOurs(std::string_view reason);

// Settings of the decoder. While a feature is off, the decoder leaves its facts out, so no rule
// sees them.
struct CsvTerms {
  // A ClusterServiceVersion without spec.cleanup.enabled supports cleanup (R-000-20). A value other
  // than a boolean counts as false.
  bool supported_by_default = false;
  // Also clean up APIs that the operator serves by itself (spec.apiservicedefinitions) (R-000-18).
  bool owned_apiservices = false;

  bool operator==(const CsvTerms&) const = default;
};

// True for groups of Kubernetes, OLM and Steward, whose objects are never deleted (R-000-79).
bool IsReservedGroup(std::string_view group);

// An API that an operator serves from an API server of its own.
struct OwnedApi {
  std::string group;
  std::string plural;
  std::string kind;
  std::vector<std::string> versions;  // as listed
  bool operator==(const OwnedApi&) const = default;
};

// The facts that decide whether the operator's custom resources may be deleted.
struct CsvFacts {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  std::string creation_timestamp;  // RFC 3339
  std::string deletion_timestamp;  // "" = it is not being deleted
  std::vector<std::string> finalizers;
  std::string phase;
  std::string reason;
  std::optional<std::string> copied_from;         // label olm.copiedFrom, with any value
  std::optional<std::string> operator_namespace;  // annotation olm.operatorNamespace
  std::optional<std::string> record;              // kRecordAnnotation
  std::optional<std::string> refusal;             // kRefusalAnnotation
  std::optional<std::string> opt_out;             // kOptOutAnnotation
  std::optional<std::string> rights_released;     // kRightsReleasedAnnotation
  std::optional<std::string> confirmed;           // label kConfirmedLabel
  std::vector<std::string> owners;                // metadata.ownerReferences: "ConfigMap settings"
  size_t other_annotations = 0;  // bytes of all annotations except the record, keys and values
  // The status says that a cleanup waits for custom resources, so deletions may have been sent.
  bool said_waiting = false;
  // spec.cleanup.enabled, or the default when that is absent (CsvTerms).
  bool cleanup_enabled = false;
  // Names of definitions ("widgets.example.com"). An operator lists each version, but the set has
  // each name once. Includes the names of owned APIs, which have the same form.
  std::set<std::string> owned_crds;
  std::set<std::string> required_crds;
  std::map<std::string, OwnedApi> owned_apis;  // by name, which is in owned_crds, too
  std::set<std::string> deployments;           // of the install strategy
  std::string replaces;                        // spec.replaces
  // The part of the spec that cannot be understood; "" = the spec is understood.
  std::string malformed;

  bool deleting() const { return !deletion_timestamp.empty(); }
  bool HasFinalizer(std::string_view name) const;
  // True when both the author and the administrator consented (R-000-38).
  bool OptedIn() const;
  // True if the object has any of the marks by which OLM knows a copy. Then it never triggers
  // cleanup (R-000-72).
  bool MayBeCopy() const;

  bool operator==(const CsvFacts&) const = default;
};

// One of Steward's conditions, as the status has it. No decision depends on it.
struct SaidCondition {
  std::string phase;
  std::string reason;
  std::string message;
  std::string last_update;      // RFC 3339
  std::string last_transition;  // RFC 3339

  bool operator==(const SaidCondition&) const = default;
};

// The facts, and the progress of a cleanup as the status reports it.
struct CsvCleanup {
  // resource_version is empty for watched objects, because any write would otherwise make two equal
  // values differ.
  CsvFacts facts;
  std::map<std::string, std::string> owned_kinds;  // of definitions of facts.owned_crds, by name
  // status.cleanup.pendingDeletion, sorted, kMaxPendingInstances at most.
  std::vector<PendingOperand> pending;
  std::vector<SaidCondition> conditions;  // Steward's own, in their order

  // The last condition with this reason, or null.
  const SaidCondition* Condition(std::string_view reason) const ABSL_ATTRIBUTE_LIFETIME_BOUND;

  bool operator==(const CsvCleanup&) const = default;
};

// An estimate of the memory that `csv` takes, in bytes.
size_t SizeOf(const CsvCleanup& csv);

}  // namespace steward::olm

#endif  // OLM_CSV_FACTS_H_

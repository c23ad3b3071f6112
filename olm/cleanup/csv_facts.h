// What cleanup reads of a ClusterServiceVersion. Values.
#ifndef OLM_CLEANUP_CSV_FACTS_H_
#define OLM_CLEANUP_CSV_FACTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/pending_operand.h"

namespace steward::olm {

// Settings by which ClusterServiceVersions are read: what is off does not exist for any rule.
struct CsvTerms {
  // One without spec.cleanup.enabled supports cleanup (R-000-20). One that is there and no boolean
  // says no.
  bool supported_by_default = false;
  // APIs that it serves by itself (spec.apiservicedefinitions) are cleaned up, too (R-000-18).
  bool owned_apiservices = false;

  bool operator==(const CsvTerms&) const = default;
};

// Groups of Kubernetes, OLM and Steward: their objects are nobody's to be deleted (R-000-79).
bool IsReservedGroup(std::string_view group);

// An API that an operator serves by an API server of its own.
struct OwnedApi {
  std::string group;
  std::string plural;
  std::string kind;
  std::vector<std::string> versions;  // as listed
  bool operator==(const OwnedApi&) const = default;
};

// By which it is decided whether its custom resources may be deleted.
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
  // Its status says that a cleanup waits for custom resources: deletions may have been sent.
  bool said_waiting = false;
  // spec.cleanup.enabled, or what one that says nothing is taken for (CsvTerms).
  bool cleanup_enabled = false;
  // Names of definitions ("widgets.example.com"), each once: an operator lists each version. APIs
  // are among them, by the same kind of name.
  std::set<std::string> owned_crds;
  std::set<std::string> required_crds;
  std::map<std::string, OwnedApi> owned_apis;  // those of owned_crds that are APIs
  std::set<std::string> deployments;           // of the install strategy
  std::string replaces;                        // spec.replaces
  // What of the spec cannot be understood; "" = nothing.
  std::string malformed;

  bool deleting() const { return !deletion_timestamp.empty(); }
  bool HasFinalizer(std::string_view name) const;
  // The author's word and the admin's, both (R-000-38).
  bool OptedIn() const;
  // By any mark that OLM knows: such a one never triggers cleanup (R-000-72).
  bool MayBeCopy() const;

  bool operator==(const CsvFacts&) const = default;
};

// A condition of ours (status.h), as it stands in the status. Nothing is decided by it.
struct SaidCondition {
  std::string phase;
  std::string reason;
  std::string message;
  std::string last_update;      // RFC 3339
  std::string last_transition;  // RFC 3339

  bool operator==(const SaidCondition&) const = default;
};

// The facts, and what the status says of a cleanup that has begun.
struct CsvCleanup {
  // Without resource_version where it is part of what is watched: it says nothing there, and would
  // make a change of every write.
  CsvFacts facts;
  std::map<std::string, std::string> owned_kinds;  // of definitions of facts.owned_crds, by name
  // status.cleanup.pendingDeletion, sorted, kMaxPendingInstances at most.
  std::vector<PendingOperand> pending;
  std::vector<SaidCondition> conditions;  // those of ours, in their order

  // The last one with this reason, or null.
  const SaidCondition* Condition(std::string_view reason) const;

  bool operator==(const CsvCleanup&) const = default;
};

// An estimate of what it takes in memory, in bytes.
size_t SizeOf(const CsvCleanup& csv);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_CSV_FACTS_H_

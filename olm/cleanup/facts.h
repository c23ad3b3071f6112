// What cleanup reads of the objects that it decides by. Values.
#ifndef OLM_CLEANUP_FACTS_H_
#define OLM_CLEANUP_FACTS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"

namespace steward::olm {

// Settings by which ClusterServiceVersions are read: what is off does not exist for any rule.
struct CsvTerms {
  // One without spec.cleanup.enabled supports cleanup (R-000-20). One that is there and no boolean
  // says no.
  bool supported_by_default = false;
  // APIs that it serves by itself (spec.apiservicedefinitions) are cleaned up, too (R-000-18).
  bool owned_apiservices = false;
};

// An API that an operator serves by an API server of its own.
struct OwnedApi {
  std::string group;
  std::string plural;
  std::string kind;
  std::vector<std::string> versions;  // as listed
  bool operator==(const OwnedApi&) const = default;
};

// A ClusterServiceVersion.
struct CsvFacts {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  std::string deletion_timestamp;  // "" = it is not being deleted
  std::vector<std::string> finalizers;
  std::string phase;
  std::string reason;
  bool has_copied_from_label = false;
  std::optional<std::string> operator_namespace;  // annotation olm.operatorNamespace
  std::optional<std::string> record;              // kRecordAnnotation
  std::optional<std::string> refusal;             // kRefusalAnnotation
  std::optional<std::string> opt_out;             // kOptOutAnnotation
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
  // By label and reason both: only such a one does not count as an owner (R-000-59).
  bool IsProvenCopy() const;

  bool operator==(const CsvFacts&) const = default;
};

// The Namespace that a ClusterServiceVersion lies in.
struct InstallNamespaceFacts {
  std::string name;
  bool terminating = false;
  bool operator==(const InstallNamespaceFacts&) const = default;
};

struct GroupFacts {
  OperatorGroup group;
  bool deleting = false;
  // status.namespaces; nullopt when absent or empty.
  std::optional<std::vector<std::string>> synced;
  bool operator==(const GroupFacts&) const = default;
};

// A CustomResourceDefinition.
struct CrdFacts {
  std::string name;
  std::string uid;
  std::string group;
  std::string plural;
  std::string kind;
  bool cluster_scoped = false;
  bool established = false;
  bool terminating = false;
  // The served ones in the order in which they are to be asked: the storage version first.
  std::vector<std::string> versions;
  // No definition at all, but an API that the operator serves by itself: its scope is not known.
  bool aggregated = false;
  bool operator==(const CrdFacts&) const = default;
};

// An APIService.
struct ApiServiceFacts {
  bool deleting = false;
  bool elsewhere = false;  // served by a Service, not by the kube-apiserver itself
  bool operator==(const ApiServiceFacts&) const = default;
};

// A Deployment of the install strategy.
struct DeploymentFacts {
  bool deleting = false;
  bool operator==(const DeploymentFacts&) const = default;
};

// Whether opting in is authorised by a bound admission policy (R-000-74).
struct ProtectionFacts {
  bool bound = false;
  std::string why_not;  // when it is not
  bool operator==(const ProtectionFacts&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_FACTS_H_

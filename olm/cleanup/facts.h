// What cleanup reads of the objects that it decides by. Values.
#ifndef OLM_CLEANUP_FACTS_H_
#define OLM_CLEANUP_FACTS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/objects.h"

namespace steward::olm {

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

inline InstallNamespaceFacts FactsOf(const Namespace& ns) { return {ns.name, ns.terminating}; }
// REQUIRES: its status can be understood.
inline GroupFacts FactsOf(const OperatorGroup& group) {
  return {group, group.deleting, group.synced};
}

// Reasons for which the custom resources of a definition are kept, whatever the verdict.
inline constexpr std::string_view kReservedGroup = "ReservedGroup";
inline constexpr std::string_view kUnmanaged = "NotInstalledByOLM";
inline constexpr std::string_view kServedByAnother = "ServedByAnother";

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
  // Why none of its custom resources is ever deleted (R-000-79): kReserved, ...; "" = they may be.
  std::string kept;
  bool operator==(const CrdFacts&) const = default;
};

// The CustomResourceDefinition of ClusterServiceVersions themselves.
struct CsvDefinitionFacts {
  std::string name;
  bool terminating = false;
  absl::Time created = absl::InfinitePast();
  bool operator==(const CsvDefinitionFacts&) const = default;
};

// An APIService.
struct ApiServiceFacts {
  std::string uid;
  bool deleting = false;
  bool elsewhere = false;         // served by a Service, not by the kube-apiserver itself
  std::string service_namespace;  // of that Service
  kube::LabelMap labels;
  bool operator==(const ApiServiceFacts&) const = default;
};

// A Deployment of the install strategy.
struct DeploymentFacts {
  bool deleting = false;
  bool operator==(const DeploymentFacts&) const = default;
};

// An admission policy that is to be in force for the whole cluster.
struct PolicyFacts {
  bool bound = false;
  std::string why_not;   // when it is not
  std::string uid;       // of the policy, while it is bound
  std::string revision;  // one that stays says that neither policy nor binding changed meanwhile
  absl::Time since = absl::InfiniteFuture();  // when one of the two was written last
  bool operator==(const PolicyFacts&) const = default;
};

// What of cleanup the API server protects.
struct ProtectionFacts {
  PolicyFacts opt_in;             // who may opt in (R-000-74)
  PolicyFacts uninstall;          // who may delete what is opted in (R-000-77)
  bool copies_protected = false;  // the label of copies is not changed by anybody (R-000-85)
  bool operator==(const ProtectionFacts&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_FACTS_H_

// The facts about other objects by which cleanup decides. Values.
#ifndef OLM_CLEANUP_FACTS_H_
#define OLM_CLEANUP_FACTS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/selector.h"
#include "kube/meta/time.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"

namespace steward::olm {

// The Namespace that contains a ClusterServiceVersion.
struct InstallNamespaceFacts {
  std::string name;
  bool terminating = false;
  absl::Time created = absl::InfinitePast();
  bool operator==(const InstallNamespaceFacts&) const = default;
};

struct GroupFacts {
  OperatorGroup group;
  bool deleting = false;
  absl::Time created = absl::InfinitePast();  // unknown for watched objects
  // status.namespaces; nullopt when absent or empty.
  std::optional<std::vector<std::string>> synced;
  bool operator==(const GroupFacts&) const = default;
};

inline InstallNamespaceFacts FactsOf(const Namespace& ns) {
  return {ns.name, ns.terminating, kube::ParseRfc3339(ns.created).value_or(absl::InfinitePast())};
}
inline GroupFacts FactsOf(const OperatorGroup& group) {
  return {group, group.deleting, absl::InfinitePast(), group.synced};
}

// Reasons why the custom resources of a definition are kept, whatever the verdict.
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
  // The served versions in the order in which they are tried: the storage version first.
  std::vector<std::string> versions;
  // True for an API that the operator serves by itself, without a definition. Its scope is unknown.
  bool aggregated = false;
  // The reason why none of its custom resources is ever deleted (R-000-79): kReservedGroup, ...; ""
  // = they may be deleted.
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

// The state of an admission policy that must be in force for the whole cluster.
struct PolicyFacts {
  bool bound = false;
  std::string why_not;   // the reason when it is not bound
  std::string proof;     // the value of kConfirmedLabel that counts; "" unless it is bound
  std::string revision;  // if equal to an earlier revision, neither policy nor binding has changed
  absl::Time since = absl::InfiniteFuture();  // when either was last written
  bool operator==(const PolicyFacts&) const = default;
};

// The protection of cleanup by the API server's admission policies.
struct ProtectionFacts {
  PolicyFacts opt_in;             // controls who may opt in (R-000-74)
  PolicyFacts uninstall;          // controls who may delete an opted-in operator (R-000-77)
  bool copies_protected = false;  // no user can change the label of copies (R-000-85)
  bool operator==(const ProtectionFacts&) const = default;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_FACTS_H_

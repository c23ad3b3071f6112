// The manifests of a payload that a cluster takes, by the rules of shipped
// cluster-version-operators. Values and pure functions.
#ifndef OLM_PAYLOAD_INCLUSION_H_
#define OLM_PAYLOAD_INCLUSION_H_

#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "olm/payload/payload.h"

namespace steward::olm {

struct Capabilities {
  std::set<std::string> known;    // capabilities that exist
  std::set<std::string> enabled;  // that are on
};

// The choices of a cluster.
struct ClusterChoices {
  // "" = includes every manifest, for payloads without profiles.
  std::string profile = "self-managed-high-availability";
  std::string feature_set;      // "" = Default
  std::set<std::string> gates;  // the feature gates that are on
  // False: it is not known yet which gates are on in this release. Then delete manifests that name
  // a gate are left out.
  bool gates_known = true;
  // Nullopt: it is not known which capabilities exist, so all that the payload names count as on.
  std::optional<Capabilities> capabilities;
  std::set<PayloadIdentity> unmanaged;  // the cluster's overrides
  std::optional<int> major;             // of the release; nullopt = ignore major versions
  std::string exclude_id;               // `exclude.release.openshift.io/<id>`; "" = none
};

// The reason why the manifest is left out, so that its object is neither applied nor deleted;
// nullopt = it is included.
std::optional<std::string> ReasonToLeaveOut(const PayloadManifest& manifest,
                                            const ClusterChoices& choices);

// The choices that manifests name in their annotations.
struct NamedChoices {
  std::set<std::string> profiles;
  std::set<std::string> feature_sets;
  std::set<std::string> capabilities;
};
NamedChoices ChoicesNamedBy(const std::vector<PayloadManifest>& manifests);

// The feature gates that have to be on, and those that have to be off, for the manifest.
struct NeededGates {
  std::set<std::string> on;
  std::set<std::string> off;
};
NeededGates GatesNeededBy(const PayloadManifest& manifest);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_INCLUSION_H_

// Which manifests of a payload a cluster takes (facts: the shipped rules). Values and pure
// functions.
#ifndef OLM_PAYLOAD_INCLUSION_H_
#define OLM_PAYLOAD_INCLUSION_H_

#include <boost/json/object.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "olm/payload/payload.h"

namespace steward::olm {

// What a cluster has chosen.
struct ClusterChoices {
  // "" = every manifest is included in it, for payloads that know no profiles.
  std::string profile = "self-managed-high-availability";
  std::string feature_set;              // "" = Default
  std::set<std::string> gates;          // feature gates that are on
  std::set<std::string> known;          // capabilities that there are
  std::set<std::string> enabled;        // capabilities that are on
  std::set<PayloadIdentity> unmanaged;  // the cluster's overrides
  std::optional<int> major;             // of the release; nullopt: not looked at
  std::string exclude_id;               // `exclude.release.openshift.io/<id>`; "" = none
};

// The reason why the manifest is left out, neither applied nor deleted; nullopt: it is included.
std::optional<std::string> ReasonToLeaveOut(const PayloadManifest& manifest,
                                            const ClusterChoices& choices);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_INCLUSION_H_

// What a cluster says of itself that decides about a payload. Coroutines on the caller's executor.
#ifndef PAYLOAD_CLUSTER_CHOICES_H_
#define PAYLOAD_CLUSTER_CHOICES_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "olm/payload/inclusion.h"

namespace steward::payload {

// The choices by which the cluster takes manifests of the release `version`: overrides and
// capabilities of its ClusterVersion, feature set and gates of its FeatureGate; and where it has
// none, those of `given`. REQUIRES: the references outlive the task.
Task<olm::ClusterChoices> ReadClusterChoices(kube::Client& client, kube::RestMapper& mapper,
                                             olm::ClusterChoices given, std::string version);

// The ClusterOperators that say Upgradeable=False, each as `name: reason: message` (R-003-37);
// without Steward's own, which says what the record does. None where the kind is not served.
Task<std::vector<std::string>> ReadNotUpgradeable(kube::Client& client, kube::RestMapper& mapper);

// The ClusterOperator by which Steward reports the payload's removals.
inline constexpr char kPayloadOperator[] = "steward-payload";

}  // namespace steward::payload

#endif  // PAYLOAD_CLUSTER_CHOICES_H_

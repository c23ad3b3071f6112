// Reads the cluster's own settings and conditions that decide how a payload is applied. Coroutines
// on the caller's executor.
#ifndef PAYLOAD_CLUSTER_CHOICES_H_
#define PAYLOAD_CLUSTER_CHOICES_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "olm/payload/inclusion.h"

namespace steward::payload {

// Reads the choices by which the cluster includes manifests of the release `version`: overrides and
// capabilities from ClusterVersion, feature set and gates from FeatureGate. If the cluster lacks
// one of these objects, the values of `given` count. REQUIRES: the references outlive the task.
Task<olm::ClusterChoices> ReadClusterChoices(kube::Client& client, kube::RestMapper& mapper,
                                             olm::ClusterChoices given, std::string version);

// Lists the ClusterOperators that report Upgradeable=False, each as `name: reason: message`
// (R-003-37). Steward's own is left out, because it only repeats the record. The list is empty if
// the cluster does not serve the kind.
Task<std::vector<std::string>> ReadNotUpgradeable(kube::Client& client, kube::RestMapper& mapper);

// The name of the ClusterOperator in which Steward reports the payload's removals.
inline constexpr char kPayloadOperator[] = "steward-payload";

}  // namespace steward::payload

#endif  // PAYLOAD_CLUSTER_CHOICES_H_

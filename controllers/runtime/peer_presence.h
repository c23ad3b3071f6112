// Finds operators of others that run in this cluster and do the same as a reconciler. Stateless
// functions.
#ifndef CONTROLLERS_RUNTIME_PEER_PRESENCE_H_
#define CONTROLLERS_RUNTIME_PEER_PRESENCE_H_

#include <map>
#include <set>
#include <string_view>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

enum class PeerOperator { kOlmOperator, kCatalogOperator, kClusterVersionOperator };

// The operator's name: "olm-operator", "catalog-operator" or "cluster-version-operator".
std::string_view NameOf(PeerOperator which);

// The running operators, each with a Deployment that proves it.
using PeerPresence = std::map<PeerOperator, kube::NamespacedName>;

// Reads live which of `wanted` run. An operator runs if a Deployment in any namespace has
// status.availableReplicas above 0 and the operator's name as its own name, or as its label `app`
// (because OLM may be installed under another name). An error means that the answer is unknown.
// REQUIRES: `client` outlives the call.
Task<PeerPresence> ReadPeerPresence(kube::Client& client, std::set<PeerOperator> wanted);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_PEER_PRESENCE_H_

// The operators of OLM that run in this cluster. Stateless functions.
#ifndef CONTROLLERS_RUNTIME_OLM_PRESENCE_H_
#define CONTROLLERS_RUNTIME_OLM_PRESENCE_H_

#include <map>
#include <set>
#include <string_view>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

enum class OlmOperator { kOlmOperator, kCatalogOperator };

// The operator's name: "olm-operator" or "catalog-operator".
std::string_view NameOf(OlmOperator which);

// The operators that run, each with a Deployment that proves it.
using OlmPresence = std::map<OlmOperator, kube::NamespacedName>;

// Reads live which of `wanted` run. An operator runs where a Deployment, in any namespace, has its
// name or has it as the label app, and status.availableReplicas above 0. An error means that the
// answer is unknown. REQUIRES: `client` outlives the call.
Task<OlmPresence> ReadOlmPresence(kube::Client& client, std::set<OlmOperator> wanted);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_OLM_PRESENCE_H_

// The names that complete a command line, with the user's rights.
#ifndef PLUGIN_NAMES_H_
#define PLUGIN_NAMES_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "plugin/command/completion.h"

namespace steward::plugin {

// Lists the names of the cluster's objects of this kind, in `ns` if the kind is namespaced; at most
// 500. Empty for kinds that no cluster has. REQUIRES: `client` outlives the task.
Task<std::vector<std::string>> AskNames(kube::Client& client, Completion::Names names,
                                        std::string ns);

}  // namespace steward::plugin

#endif  // PLUGIN_NAMES_H_

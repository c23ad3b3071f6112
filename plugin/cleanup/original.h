// The ClusterServiceVersion of an operator, told from what only shows that it works in a namespace.
// Runs on the caller's executor.
#ifndef PLUGIN_CLEANUP_ORIGINAL_H_
#define PLUGIN_CLEANUP_ORIGINAL_H_

#include <string>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "plugin/cluster/csv.h"

namespace steward::plugin {

// Reads like ReadCsv, but returns Refused if `name` is a copy of a ClusterServiceVersion, or, where
// there are no copies, only an InstalledOperator of another namespace. The message names the
// original's namespace, and the call of `command` ("uninstall") that is meant.
Task<Csv> ReadOriginal(kube::Client& client, kube::NamespacedName name, std::string command);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_ORIGINAL_H_

// The way from an object that only shows an operator in a namespace (a copy, an InstalledOperator)
// to the operator's ClusterServiceVersion. Runs on the caller's executor.
#ifndef PLUGIN_CLEANUP_ORIGINAL_H_
#define PLUGIN_CLEANUP_ORIGINAL_H_

#include <string>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "plugin/cluster/csv.h"

namespace steward::plugin {

// Reads like ReadCsv. Returns Refused if `name` is only a copy of a ClusterServiceVersion, or,
// where there are no copies, only an InstalledOperator from another namespace. The message names
// the original's namespace, and the right command line for `command` ("uninstall").
Task<Csv> ReadOriginal(kube::Client& client, kube::NamespacedName name, std::string command);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_ORIGINAL_H_

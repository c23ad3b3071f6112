// The command kubectl steward version. Not thread-safe.
#ifndef PLUGIN_VERSION_VERSION_COMMAND_H_
#define PLUGIN_VERSION_VERSION_COMMAND_H_

#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Prints the version of this program, and unless `client_only` those of Steward's API server and of
// Kubernetes. Versions that were found are printed even if the result is an error.
//
// REQUIRES: the session outlives the task.
StatusTask ShowVersions(Session& session, bool client_only);

KnownCommand KnownVersion();

}  // namespace steward::plugin

#endif  // PLUGIN_VERSION_VERSION_COMMAND_H_

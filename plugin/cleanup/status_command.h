// The command kubectl steward status. Not thread-safe.
#ifndef PLUGIN_CLEANUP_STATUS_COMMAND_H_
#define PLUGIN_CLEANUP_STATUS_COMMAND_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

struct StatusOptions {
  std::string ns;                  // "" = all namespaces
  std::vector<std::string> names;  // empty = all of `ns`; else `ns` is needed
  std::string selector;            // a label selector; "" = all
  bool headers = true;
};

// Prints the cleanup of operators as Steward's API shows it: a table, or, if names were given, all
// details of those.
//
// REQUIRES: the session outlives the task.
StatusTask ShowStatus(Session& session, StatusOptions options);

KnownCommand KnownStatus();

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_STATUS_COMMAND_H_

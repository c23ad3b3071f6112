// kubectl steward status.
#ifndef PLUGIN_STATUS_COMMAND_H_
#define PLUGIN_STATUS_COMMAND_H_

#include <string>

#include "base/async/task.h"
#include "plugin/session.h"

namespace steward::plugin {

struct StatusOptions {
  std::string ns;    // "" = all namespaces
  std::string name;  // "" = all there; else `ns` is needed
};

// The cleanup of operators as Steward's API shows it: a table, or all that is known of one.
//
// REQUIRES: the session outlives the task.
StatusTask ShowStatus(Session& session, StatusOptions options);

}  // namespace steward::plugin

#endif  // PLUGIN_STATUS_COMMAND_H_

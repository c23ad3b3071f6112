// The list of the commands of `kubectl steward`. Thread-safe.
#ifndef PLUGIN_COMMANDS_H_
#define PLUGIN_COMMANDS_H_

#include <vector>

#include "plugin/command/command.h"

namespace steward::plugin {

// The commands in the order in which --help shows them.
const std::vector<KnownCommand>& KnownCommands();

}  // namespace steward::plugin

#endif  // PLUGIN_COMMANDS_H_

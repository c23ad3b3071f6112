// The command line of kubectl steward uninstall. Thread-safe.
#ifndef PLUGIN_CLEANUP_UNINSTALL_COMMAND_H_
#define PLUGIN_CLEANUP_UNINSTALL_COMMAND_H_

#include "plugin/command/command.h"

namespace steward::plugin {

KnownCommand KnownUninstall();

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_UNINSTALL_COMMAND_H_

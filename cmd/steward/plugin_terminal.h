// The process's own terminal.
#ifndef CMD_STEWARD_PLUGIN_TERMINAL_H_
#define CMD_STEWARD_PLUGIN_TERMINAL_H_

#include <cstdio>

#include "plugin/terminal.h"

namespace steward {

// Writes to `out`, standard output or standard error. Live where that is a terminal that can do
// more than print (TERM), in colours unless NO_COLOR is set. Somebody can be asked where `out` and
// standard input are terminals.
plugin::TerminalOptions ProcessTerminal(std::FILE* out);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_TERMINAL_H_

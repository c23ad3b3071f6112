// The process's own terminal. Thread-safe: stateless.
#ifndef CMD_STEWARD_PLUGIN_TERMINAL_H_
#define CMD_STEWARD_PLUGIN_TERMINAL_H_

#include <cstdio>

#include "plugin/terminal/terminal.h"

namespace steward {

// The options of a terminal that writes to `out`, which is standard output or standard error. It is
// live where `out` is a terminal that can do more than print (TERM), in colours unless NO_COLOR is
// set, and can ask questions where both `out` and standard input are terminals.
plugin::TerminalOptions ProcessTerminal(std::FILE* out);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_TERMINAL_H_

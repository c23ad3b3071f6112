// The process's own terminal. Thread-safe: stateless.
#ifndef CMD_STEWARD_PLUGIN_TERMINAL_H_
#define CMD_STEWARD_PLUGIN_TERMINAL_H_

#include <cstdio>

#include "plugin/terminal/terminal.h"

namespace steward {

// The options of a terminal whose answers go to `answer` (null: nowhere), and all else to standard
// error. It is live if standard error is a terminal with cursor control (TERM). It has colours
// unless NO_COLOR is set. It can ask questions if standard error and standard input are terminals.
plugin::TerminalOptions ProcessTerminal(std::FILE* answer);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_TERMINAL_H_

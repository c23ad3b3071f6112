// The runner of the commands that users give: those of `kubectl steward`, and `steward NOUN VERB`.
// To be called on the main thread.
#ifndef CMD_STEWARD_COMMAND_RUNNER_H_
#define CMD_STEWARD_COMMAND_RUNNER_H_

#include <string>
#include <vector>

#include "plugin/command/command.h"
#include "plugin/command/command_line.h"

namespace steward {

// Runs the command that `args` (without the program's name) name among the known ones. Returns the
// exit code (plugin/command/exit.h). For a command that needs no cluster, no kubeconfig is read.
int RunCommand(const plugin::Program& program, const std::vector<plugin::KnownCommand>& known,
               const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_COMMAND_RUNNER_H_

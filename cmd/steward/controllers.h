// `steward controllers`: the process that runs the reconcilers. For the main thread.
#ifndef CMD_STEWARD_CONTROLLERS_H_
#define CMD_STEWARD_CONTROLLERS_H_

#include <string>
#include <vector>

namespace steward {

// Runs reconcilers until SIGTERM or SIGINT. `args` are the command's flags. Returns the exit code.
int RunControllers(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLERS_H_

// `steward up`.
#ifndef CMD_STEWARD_UP_H_
#define CMD_STEWARD_UP_H_

#include <string>
#include <vector>

namespace steward {

// Serves until SIGTERM or SIGINT. `args` are the command's flags. Returns the process's exit code.
int RunUp(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_UP_H_

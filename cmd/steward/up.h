// `steward up`: an API server with a store and controllers in one process. For the main thread.
#ifndef CMD_STEWARD_UP_H_
#define CMD_STEWARD_UP_H_

#include <string>
#include <vector>

namespace steward {

// Serves until SIGTERM or SIGINT. `args` are the command's flags. Returns the exit code.
int RunUp(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_UP_H_

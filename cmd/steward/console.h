// `steward console`: serves the web pages. For the main thread.
#ifndef CMD_STEWARD_CONSOLE_H_
#define CMD_STEWARD_CONSOLE_H_

#include <string>
#include <vector>

namespace steward {

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. `args` are the command's
// flags. Returns the exit code: 0 after a clean stop, 1 when it could not start, 2 for invalid
// flags.
int RunConsole(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_CONSOLE_H_

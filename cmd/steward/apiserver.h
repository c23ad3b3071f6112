// `steward apiserver`: the aggregated API server, which reads the cluster, creates reviews and
// writes nothing else. For the main thread.
#ifndef CMD_STEWARD_APISERVER_H_
#define CMD_STEWARD_APISERVER_H_

#include <string>
#include <vector>

namespace steward {

// Runs until SIGTERM or SIGINT; a second signal ends the process at once. Returns the exit code: 0
// after a clean stop, 1 when it could not start, 2 for invalid flags.
int RunApiServer(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_APISERVER_H_

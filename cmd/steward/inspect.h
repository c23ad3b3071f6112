// `steward inspect`: a must-gather, or a folder of manifests, through the API of a cluster,
// read-only. Called on the main thread.
#ifndef CMD_STEWARD_INSPECT_H_
#define CMD_STEWARD_INSPECT_H_

#include <string>
#include <vector>

namespace steward {

// Returns the exit code of the command behind `--`. Else: 0 = done, 1 = failed, 2 = wrong usage or
// no dump, 126 and 127 = the command cannot be started, 128 plus the number of a signal.
int RunInspect(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_INSPECT_H_

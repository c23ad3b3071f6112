// Completion of `kubectl steward` for shells, which kubectl asks for by the name
// kubectl_complete-steward. For the main thread.
#ifndef CMD_STEWARD_COMPLETION_RUNNER_H_
#define CMD_STEWARD_COMPLETION_RUNNER_H_

#include <string>
#include <vector>

namespace steward {

// Prints what may come next; the last of `words` is being typed. Names that the cluster does not
// tell within three seconds are left out in silence. Returns the exit code.
int RunCompletion(const std::vector<std::string>& words);

}  // namespace steward

#endif  // CMD_STEWARD_COMPLETION_RUNNER_H_

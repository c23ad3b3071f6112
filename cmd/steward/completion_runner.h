// Completion of `kubectl steward` for shells, which kubectl asks for by the name
// kubectl_complete-steward. For the main thread.
#ifndef CMD_STEWARD_COMPLETION_RUNNER_H_
#define CMD_STEWARD_COMPLETION_RUNNER_H_

#include <string>
#include <vector>

namespace steward {

// Prints the candidates for the word being typed, the last of `words`. Leaves out, without an
// error, names that the cluster does not send within three seconds. Returns the exit code.
int RunCompletion(const std::vector<std::string>& words);

}  // namespace steward

#endif  // CMD_STEWARD_COMPLETION_RUNNER_H_

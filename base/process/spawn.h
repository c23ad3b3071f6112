// The start of another program. Thread-safe.
#ifndef BASE_PROCESS_SPAWN_H_
#define BASE_PROCESS_SPAWN_H_

#include <spawn.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace steward {

// Adds the actions for the descriptors 0, 1 and 2.
using Redirect = std::function<void(posix_spawn_file_actions_t& actions)>;

// Starts `args.front()`, which is looked for in the PATH, with these arguments. Of equal names in
// `environment` the last counts. The program gets this process's descriptors 0, 1 and 2, or those
// that `redirect` sets, and no others. It blocks no signals, and does not ignore SIGPIPE. The
// caller must wait for its end (waitpid). kNotFound, kPermissionDenied, or kUnavailable if the
// system refuses.
//
// REQUIRES: `args` is not empty.
absl::StatusOr<pid_t> Spawn(std::vector<std::string> args,
                            const std::vector<std::string>& environment,
                            const Redirect& redirect = {});

}  // namespace steward

#endif  // BASE_PROCESS_SPAWN_H_

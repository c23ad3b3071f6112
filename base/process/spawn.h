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

// Adds what is to become of the descriptors 0, 1 and 2.
using Redirect = std::function<void(posix_spawn_file_actions_t& actions)>;

// Starts `args.front()`, which is looked for in the PATH, with these arguments; of equal names in
// `environment` the last counts. The program has this process's descriptors 0, 1 and 2 unless
// `redirect` says another, and no others; it blocks no signals, and does not ignore SIGPIPE. The
// caller waits for its end. kNotFound, kPermissionDenied, or kUnavailable where the system refuses.
//
// REQUIRES: `args` is not empty.
absl::StatusOr<pid_t> Spawn(std::vector<std::string> args,
                            const std::vector<std::string>& environment,
                            const Redirect& redirect = {});

}  // namespace steward

#endif  // BASE_PROCESS_SPAWN_H_

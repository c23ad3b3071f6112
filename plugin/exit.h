// How a command ends: the exit codes that scripts go by.
#ifndef PLUGIN_EXIT_H_
#define PLUGIN_EXIT_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward::plugin {

enum class Exit {
  kDone = 0,
  kError = 1,    // something failed
  kUsage = 2,    // the command line, or what it names, cannot be used
  kRefused = 3,  // it may not be done, or somebody said no
  kStalled = 4,  // it is under way and does not get on, or not in time
};
// "Done", "Error", ...
std::string_view ToString(Exit exit);

// Errors that say how the command is to end. Every other error ends it with kError.
absl::Status Misused(std::string_view message);
absl::Status Refused(std::string_view message);
absl::Status Stalled(std::string_view message);

Exit ExitOf(const absl::Status& status);

}  // namespace steward::plugin

#endif  // PLUGIN_EXIT_H_

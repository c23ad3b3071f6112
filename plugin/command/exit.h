// The exit codes of commands, which scripts rely on. Pure functions.
#ifndef PLUGIN_COMMAND_EXIT_H_
#define PLUGIN_COMMAND_EXIT_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward::plugin {

enum class Exit {
  kDone = 0,
  kError = 1,       // something failed
  kUsage = 2,       // the command line, or what it names, cannot be used
  kRefused = 3,     // not allowed, or the user said no
  kStalled = 4,     // under way, but without progress or too late
  kForewarned = 5,  // a preview says that something would fail, or cannot tell
};
// The name of the code: "Done", "Error", ...
std::string_view ToString(Exit exit);

// Errors with an exit code of their own. A request that the server forbids is kRefused, too; every
// other error is kError.
absl::Status Misused(std::string_view message);
absl::Status Refused(std::string_view message);
absl::Status Stalled(std::string_view message);
absl::Status Forewarned(std::string_view message);

Exit ExitOf(const absl::Status& status);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_EXIT_H_

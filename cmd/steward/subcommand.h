// The beginning and end of a subcommand of the program. Called on the main thread.
#ifndef CMD_STEWARD_SUBCOMMAND_H_
#define CMD_STEWARD_SUBCOMMAND_H_

#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/log/log.h"

namespace steward {

// Runs `run(options)` at the verbosity in `options`, or prints `help()` if they ask for help.
// Returns the exit code: 0 = done, 1 = failed, 2 = wrong usage; errors are printed to standard
// error.
template <typename Options, typename Help, typename Run>
int RunSubcommand(const char* name, const absl::StatusOr<Options>& options, const Help& help,
                  const Run& run) {
  const auto fail = [name](const absl::Status& status, int code) {
    std::fprintf(stderr, "steward %s: %s\n", name, std::string(status.message()).c_str());
    return code;
  };
  if (!options.ok()) return fail(options.status(), 2);
  if (options->help) {
    std::fputs(std::string(help()).c_str(), stdout);
    return 0;
  }
  log::SetVerbosity(options->verbosity);
  const absl::Status status = run(*options);
  return status.ok() ? 0 : fail(status, 1);
}

}  // namespace steward

#endif  // CMD_STEWARD_SUBCOMMAND_H_

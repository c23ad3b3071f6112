// The flags of `steward inspect`. Values and pure functions.
#ifndef CMD_STEWARD_INSPECT_OPTIONS_H_
#define CMD_STEWARD_INSPECT_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace steward {

struct InspectOptions {
  // True for --help: nothing else is set, and the caller prints InspectHelpText.
  bool help = false;

  std::string path;                  // a folder or a tar
  std::vector<std::string> command;  // behind `--`; empty: serve until a signal
  int secure_port = 0;               // 0 = a free port
  std::string kubeconfig;            // "" = in the temporary folder
  int show = 10;
  int verbosity = 0;
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and the error.
absl::StatusOr<InspectOptions> ParseInspectOptions(const std::vector<std::string>& args);

// The text of --help: every flag with its default.
std::string InspectHelpText();

}  // namespace steward

#endif  // CMD_STEWARD_INSPECT_OPTIONS_H_

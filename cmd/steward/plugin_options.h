// The command line of `kubectl steward`.
#ifndef CMD_STEWARD_PLUGIN_OPTIONS_H_
#define CMD_STEWARD_PLUGIN_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace steward {

struct PluginOptions {
  enum class Command { kUninstall, kStatus, kAbort, kRestore };

  // Not empty for --help, and without a command: nothing else is set, and this is what the user
  // wants.
  std::string help;

  Command command = Command::kStatus;
  // Of all commands.
  std::string kubeconfig;
  std::string context;
  std::string ns;      // "" = the context's
  std::string output;  // "" or "json"
  bool yes = false;
  // "" = all, for status.
  std::string csv;
  bool all_namespaces = false;
  // Of uninstall; wait and timeout of abort, too, dry_run and folder of restore.
  bool cleanup = false;
  bool keep = false;
  std::string folder;
  bool no_save = false;
  bool wait = true;
  absl::Duration timeout = absl::Minutes(30);
  bool dry_run = false;
  bool ignore_not_found = false;
};

// "uninstall", ...
const char* NameOf(PluginOptions::Command command);

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence.
absl::StatusOr<PluginOptions> ParsePluginOptions(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_OPTIONS_H_

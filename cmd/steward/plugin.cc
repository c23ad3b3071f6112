#include "cmd/steward/plugin.h"

#include "cmd/steward/command_runner.h"
#include "plugin/command/command_line.h"
#include "plugin/commands.h"

namespace steward {

bool IsPluginName(std::string_view argv0) {
  const size_t slash = argv0.rfind('/');
  if (slash != std::string_view::npos) argv0.remove_prefix(slash + 1);
  return argv0 == "kubectl-steward";
}

int RunPlugin(const std::vector<std::string>& args) {
  return RunCommand(plugin::Program(), plugin::KnownCommands(), args);
}

}  // namespace steward

#include "cmd/steward/plugin.h"

#include "cmd/steward/command_runner.h"
#include "plugin/command/command_line.h"
#include "plugin/commands.h"

namespace steward {

namespace {

std::string_view NameIn(std::string_view argv0) {
  const size_t slash = argv0.rfind('/');
  return slash == std::string_view::npos ? argv0 : argv0.substr(slash + 1);
}

}  // namespace

bool IsPluginName(std::string_view argv0) { return NameIn(argv0) == "kubectl-steward"; }

bool IsCompletionName(std::string_view argv0) {
  return NameIn(argv0) == "kubectl_complete-steward";
}

int RunPlugin(const std::vector<std::string>& args) {
  return RunCommand(plugin::Program(), plugin::KnownCommands(), args);
}

}  // namespace steward

// `kubectl steward`, which is also `steward kubectl`.
#ifndef CMD_STEWARD_PLUGIN_H_
#define CMD_STEWARD_PLUGIN_H_

#include <string>
#include <string_view>
#include <vector>

namespace steward {

// Whether the program was called as kubectl's plugin, by the name that kubectl looks for.
bool IsPluginName(std::string_view argv0);

// Runs a command of the plugin. The process's exit code.
int RunPlugin(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_H_

// `kubectl steward`, which is also `steward kubectl`. For the main thread.
#ifndef CMD_STEWARD_PLUGIN_H_
#define CMD_STEWARD_PLUGIN_H_

#include <string>
#include <string_view>
#include <vector>

namespace steward {

// True if the program was called under the name by which kubectl finds its plugin.
bool IsPluginName(std::string_view argv0);
// True for the name by which kubectl finds the plugin's completion (completion_runner.h).
bool IsCompletionName(std::string_view argv0);

// Runs a command of the plugin. Returns the exit code.
int RunPlugin(const std::vector<std::string>& args);

}  // namespace steward

#endif  // CMD_STEWARD_PLUGIN_H_

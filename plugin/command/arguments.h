// Arguments and flags that several commands share. Stateless functions.
#ifndef PLUGIN_COMMAND_ARGUMENTS_H_
#define PLUGIN_COMMAND_ARGUMENTS_H_

#include <string>

#include "absl/time/time.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace steward::plugin {

// Adds the argument CSV, the name of a ClusterServiceVersion.
CLI::Option* AddCsvArgument(CLI::App& app, std::string& name, const char* help);

// Adds --wait and --timeout.
void AddWaitingFlags(CLI::App& app, bool& wait, absl::Duration& timeout);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_ARGUMENTS_H_

// Arguments and flags that several commands share. Stateless functions.
#ifndef PLUGIN_COMMAND_ARGUMENTS_H_
#define PLUGIN_COMMAND_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace steward::plugin {

// Adds the argument CSV, the name of a ClusterServiceVersion, or csv/NAME as kubectl writes it.
CLI::Option* AddCsvArgument(CLI::App& app, std::string& name, const char* help);
// Adds an argument for any number of such names.
CLI::Option* AddCsvArguments(CLI::App& app, std::vector<std::string>& names, const char* help);

// Adds --dry-run, alone or with kubectl's values: both client and server mean that nothing changes.
void AddDryRunFlag(CLI::App& app, bool& dry_run, const char* help);

// Adds -A, which wins over --namespace as with kubectl.
void AddAllNamespacesFlag(CLI::App& app, bool& all, const char* help);

// Adds --wait and --timeout.
void AddWaitingFlags(CLI::App& app, bool& wait, absl::Duration& timeout);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_ARGUMENTS_H_

// The help of commands, laid out as kubectl's. Not thread-safe.
#ifndef PLUGIN_COMMAND_HELP_H_
#define PLUGIN_COMMAND_HELP_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <string>
#include <vector>

#include "plugin/command/command.h"

namespace steward::plugin {

class HelpFormatter : public CLI::FormatterBase {
 public:
  // `program`: how the examples begin, "kubectl steward".
  explicit HelpFormatter(std::string program) : program_(std::move(program)) {}

  void SetExamples(const CLI::App& app, std::vector<Example> examples) {
    examples_[&app] = std::move(examples);
  }

  // Writes what the command does; its examples, arguments, commands and flags; its usage; its
  // footer. `name` is the program's name and the command's words but the last.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;

 private:
  const std::string program_;
  std::map<const CLI::App*, std::vector<Example>> examples_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_HELP_H_

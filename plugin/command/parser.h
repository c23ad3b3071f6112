// The parser of command lines, with all commands' flags. Not thread-safe.
#ifndef PLUGIN_COMMAND_PARSER_H_
#define PLUGIN_COMMAND_PARSER_H_

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "plugin/command/command.h"
#include "plugin/command/command_line.h"
#include "plugin/command/help.h"
#include "plugin/command/output.h"

namespace steward::plugin {

// Parses once.
class Parser {
 public:
  Parser(const std::vector<KnownCommand>& known, const Program& program);

  absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& args);

  // The application with all commands, their flags and arguments, for readers such as completion.
  const CLI::App& app() const { return app_; }

 private:
  struct Leaf {
    std::string report;
    bool asks = false;
    ObjectNames names;
    bool needs_cluster = true;
    std::unique_ptr<Command> command;
  };

  // Adds the commands `known`, of which the command line may name one, to `app`. `path` are the
  // words of `app`.
  void AddAll(const std::vector<KnownCommand>& known, const std::string& path, CLI::App& app);

  const std::shared_ptr<HelpFormatter> help_;
  CommonFlags common_;
  std::map<const CLI::App*, Leaf> leaves_;
  CLI::App app_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_PARSER_H_

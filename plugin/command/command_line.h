// The command line of a program that consists of commands. A value; not thread-safe.
#ifndef PLUGIN_COMMAND_COMMAND_LINE_H_
#define PLUGIN_COMMAND_COMMAND_LINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "plugin/command/command.h"
#include "plugin/command/output.h"

namespace steward::plugin {

// The program's name, and the sentence that --help begins with.
struct Program {
  std::string name = "kubectl steward";
  std::string description = "Uninstalls operators, and what belongs to them, with your own rights.";
};

struct CommandLine {
  // Set for --help, and if no command is named. Then nothing else is set, and the caller prints it.
  std::string help;

  std::string name;    // all words of the command, as "uninstall"
  std::string report;  // the kind of its document
  bool asks = false;
  ObjectNames names;
  ClusterNeed need = ClusterNeed::kAlways;
  CommonFlags common;
  std::unique_ptr<Command> command;
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<KnownCommand>& known,
                                             const std::vector<std::string>& args,
                                             const Program& program = {});

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_COMMAND_LINE_H_

#include "plugin/command/command_line.h"

#include "plugin/command/parser.h"

namespace steward::plugin {

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<KnownCommand>& known,
                                             const std::vector<std::string>& args,
                                             const Program& program) {
  return Parser(known, program).Parse(args);
}

}  // namespace steward::plugin

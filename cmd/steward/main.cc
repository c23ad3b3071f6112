// The only binary of Steward, which picks a subcommand.
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/steward/apiserver.h"
#include "cmd/steward/completion_runner.h"
#include "cmd/steward/console.h"
#include "cmd/steward/controllers.h"
#include "cmd/steward/inspect.h"
#include "cmd/steward/nouns.h"
#include "cmd/steward/plugin.h"
#include "cmd/steward/up.h"
#include "cmd/steward/version.h"
#include "plugin/command/command.h"
#include "plugin/nouns.h"

namespace {

constexpr char kUsage[] =
    "usage: steward COMMAND [flags]\n"
    "\n"
    "  up          everything in one process on a store of its own, for trying out\n"
    "  apiserver   the aggregated API server: serves installedoperators\n"
    "  controllers reconcilers: the writes that operators' life cycles need\n"
    "  inspect     a must-gather, or a folder of manifests, through the same API, read-only\n"
    "  console     the web pages: a plugin of the OpenShift console, or by themselves\n"
    "  kubectl     kubectl's plugin: uninstalls operators; as kubectl-steward in the PATH it is\n"
    "              'kubectl steward'\n"
    "  version     which Steward this is\n"
    "  help        this text\n"
    "\n"
    "'steward COMMAND --help' lists the flags of up, apiserver, controllers, inspect, "
    "console and kubectl.\n";

std::string Usage() {
  return std::string(kUsage) + steward::NounsHelp(steward::plugin::KnownNouns());
}

}  // namespace

int main(int argc, char** argv) {
  // Ignore SIGPIPE, so that a client that goes away makes a write fail instead of ending the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (argc > 0 && steward::IsPluginName(argv[0])) return steward::RunPlugin(args);
  if (argc > 0 && steward::IsCompletionName(argv[0])) return steward::RunCompletion(args);
  const std::string_view command = args.empty() ? "help" : std::string_view(args[0]);
  if (command == "up") return steward::RunUp({args.begin() + 1, args.end()});
  if (command == "apiserver") return steward::RunApiServer({args.begin() + 1, args.end()});
  if (command == "controllers") return steward::RunControllers({args.begin() + 1, args.end()});
  if (command == "inspect") return steward::RunInspect({args.begin() + 1, args.end()});
  if (command == "console") return steward::RunConsole({args.begin() + 1, args.end()});
  if (command == "kubectl") return steward::RunPlugin({args.begin() + 1, args.end()});
  if (command == "version" || command == "--version") {
    std::fputs(steward::VersionText(steward::BuildVersion()).c_str(), stdout);
    return 0;
  }
  if (command == "help" || command == "--help" || command == "-h") {
    std::fputs(Usage().c_str(), stdout);
    return 0;
  }
  const std::vector<steward::plugin::KnownCommand>& nouns = steward::plugin::KnownNouns();
  if (steward::IsNoun(nouns, command)) return steward::RunNoun(nouns, args);
  std::fprintf(stderr, "steward: unknown command \"%s\"; 'steward help' lists them\n",
               args[0].c_str());
  return 2;
}

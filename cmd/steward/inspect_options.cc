#include "cmd/steward/inspect_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"

namespace steward {
namespace {

constexpr int kMostShown = 1000;

std::unique_ptr<CLI::App> NewApp(InspectOptions& options) {
  auto app = std::make_unique<CLI::App>(
      "Serves a must-gather, or a folder of manifests, through the API of a cluster, read-only.",
      "steward inspect");
  app->get_formatter()->column_width(36);
  app->footer(
      "What follows -- is a command that is run with KUBECONFIG set, and whose exit code becomes "
      "this one's:\n  steward inspect must-gather/ -- kubectl get installedoperators -A\n"
      "Without one the dump is served until Ctrl-C.");
  app->add_option("PATH", options.path,
                  "The dump: a folder, or a tar, plain or packed by gzip, which is not unpacked")
      ->required()
      ->type_name("");
  FlagAdder flags(*app);
  flags.Number("--secure-port", options.secure_port, 0, 65535,
               "Port of 127.0.0.1 to serve HTTPS on; 0: one that is free");
  flags.Text("--kubeconfig", options.kubeconfig,
             "File to write the kubeconfig to, which stays; empty: one that is removed at the end");
  flags.Number("--show", options.show, 0, kMostShown,
               "How many resources, and how many problems of each sort, the summary lists at most");
  flags.Verbosity(options.verbosity);
  return app;
}

}  // namespace

absl::StatusOr<InspectOptions> ParseInspectOptions(const std::vector<std::string>& args) {
  InspectOptions options;
  const auto separator = std::find(args.begin(), args.end(), "--");
  const std::unique_ptr<CLI::App> app = NewApp(options);
  try {
    app->parse(ForCli11({args.begin(), separator}));
  } catch (const CLI::CallForHelp&) {
    InspectOptions help;
    help.help = true;
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  if (separator != args.end()) {
    options.command.assign(separator + 1, args.end());
    if (options.command.empty()) return absl::InvalidArgumentError("there is no command behind --");
  }
  return options;
}

std::string InspectHelpText() {
  InspectOptions options;
  return NewApp(options)->help();
}

}  // namespace steward

#include "cmd/steward/plugin_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward {
namespace {

constexpr char kName[] = "kubectl steward";

constexpr char kExitCodes[] =
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 refused, 4 stalled or out of time";

using Command = PluginOptions::Command;
constexpr Command kCommands[] = {Command::kUninstall, Command::kStatus, Command::kAbort,
                                 Command::kRestore};

const char* DescriptionOf(Command command) {
  switch (command) {
    case Command::kUninstall:
      return "Uninstall an operator; with --cleanup its custom resources, too";
    case Command::kStatus:
      return "Show how far cleanups are, and what stands against them";
    case Command::kAbort:
      return "Call a cleanup off: custom resources that are left are kept";
    case Command::kRestore:
      return "Create again what an uninstallation saved";
  }
  return "";
}

std::string CheckName(const std::string& text) {
  return kube::IsDns1123Subdomain(text) ? "" : StrCat("\"", text, "\" is no object's name");
}
std::string CheckNamespace(const std::string& text) {
  return kube::IsDns1123Label(text) ? "" : StrCat("\"", text, "\" is no namespace's name");
}
std::string CheckNotEmpty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

void AddCommonFlags(CLI::App& app, PluginOptions& options) {
  FlagAdder flags(app);
  flags.Text("--kubeconfig", options.kubeconfig,
             "Kubeconfig to use; else those of KUBECONFIG, else ~/.kube/config");
  flags.Text("--context", options.context, "Context of the kubeconfig; else its current one");
  flags.Text("-n,--namespace", options.ns, "Namespace; else the context's, else default")
      ->check(CheckNamespace);
  flags.Text("-o,--output", options.output, "json: one document for programs on standard output")
      ->check(CLI::IsMember({"json"}));
}

void AddYes(CLI::App& app, PluginOptions& options) {
  FlagAdder(app).Switch("-y,--yes", options.yes, "Ask nothing");
}

void AddWaiting(CLI::App& app, PluginOptions& options) {
  FlagAdder flags(app);
  flags.Switch("--wait", options.wait, "Wait until it is over");
  flags.Duration("--timeout", options.timeout, "How long to wait at most; 0s: as long as it takes");
}

CLI::Option* AddCsv(CLI::App& app, PluginOptions& options, const char* help) {
  return app.add_option("CSV", options.csv, help)->check(CheckName)->type_name("");
}

void AddUninstallFlags(CLI::App& app, PluginOptions& options) {
  AddCsv(app, options, "The ClusterServiceVersion of the operator")->required();
  FlagAdder flags(app);
  flags.Switch("--cleanup", options.cleanup,
               "Opt in to cleanup: the operator's custom resources are deleted before it goes");
  flags.Switch("--keep", options.keep, "Keep its custom resources, also if somebody has opted in");
  app.get_option("--keep")->excludes("--cleanup");
  flags
      .Text("--save", options.folder,
            "New folder to save custom resources to before they are deleted; else "
            "steward-saved/NAMESPACE/CSV-UID")
      ->check(CheckNotEmpty);
  flags.Switch("--no-save", options.no_save, "Do not save what is deleted");
  app.get_option("--no-save")->excludes("--save");
  flags.Switch("--dry-run", options.dry_run, "Show what would be done, and whether it may be");
  flags.Switch("--ignore-not-found", options.ignore_not_found,
               "It is no error if there is no such operator");
  AddWaiting(app, options);
  AddYes(app, options);
}

void AddFlags(Command command, CLI::App& app, PluginOptions& options) {
  FlagAdder flags(app);
  switch (command) {
    case Command::kUninstall:
      AddUninstallFlags(app, options);
      break;
    case Command::kStatus:
      AddCsv(app, options, "One ClusterServiceVersion; else all of the namespace");
      flags.Switch("-A,--all-namespaces", options.all_namespaces, "Of all namespaces");
      break;
    case Command::kAbort:
      AddCsv(app, options, "The ClusterServiceVersion of the operator")->required();
      AddWaiting(app, options);
      AddYes(app, options);
      break;
    case Command::kRestore:
      app.add_option("DIR", options.folder, "The folder that was saved to")
          ->required()
          ->type_name("");
      flags.Switch("--dry-run", options.dry_run,
                   "Have the server check everything and keep nothing");
      AddYes(app, options);
      break;
  }
  AddCommonFlags(app, options);
}

std::unique_ptr<CLI::App> NewApp(PluginOptions& options) {
  auto app = std::make_unique<CLI::App>(
      "Uninstalls operators, and what belongs to them, with your own rights.", kName);
  app->get_formatter()->column_width(36);
  app->footer(kExitCodes);
  app->require_subcommand(0, 1);
  AddCommonFlags(*app, options);
  for (const Command command : kCommands) {
    CLI::App* sub = app->add_subcommand(NameOf(command), DescriptionOf(command));
    sub->get_formatter()->column_width(36);
    sub->footer(kExitCodes);
    AddFlags(command, *sub, options);
  }
  return app;
}

// What CLI11 cannot check.
absl::Status CheckTogether(const PluginOptions& options) {
  if (options.all_namespaces && (!options.csv.empty() || !options.ns.empty())) {
    return absl::InvalidArgumentError("--all-namespaces goes with neither a name nor --namespace");
  }
  if (options.command == Command::kRestore && !options.ns.empty()) {
    return absl::InvalidArgumentError(
        "--namespace does not go with restore: everything is created where it was");
  }
  return absl::OkStatus();
}

}  // namespace

const char* NameOf(Command command) {
  switch (command) {
    case Command::kUninstall:
      return "uninstall";
    case Command::kStatus:
      return "status";
    case Command::kAbort:
      return "abort";
    case Command::kRestore:
      return "restore";
  }
  return "";
}

absl::StatusOr<PluginOptions> ParsePluginOptions(const std::vector<std::string>& args) {
  PluginOptions options;
  const std::unique_ptr<CLI::App> app = NewApp(options);
  PluginOptions help;
  try {
    app->parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> chosen = app->get_subcommands();
    help.help = chosen.empty() ? app->help() : chosen[0]->help(kName);
    return help;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  if (app->get_subcommands().empty()) {
    help.help = app->help();
    return help;
  }
  for (const Command command : kCommands) {
    if (app->got_subcommand(NameOf(command))) options.command = command;
  }
  const absl::Status status = CheckTogether(options);
  if (!status.ok()) return status;
  return options;
}

}  // namespace steward

#include "plugin/command/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::plugin {
namespace {

constexpr char kExitCodes[] =
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 refused, 4 stalled or out of time, "
    "5 a preview warns";

std::string CheckNamespace(const std::string& text) {
  return kube::IsDns1123Label(text) ? "" : StrCat("\"", text, "\" is no namespace's name");
}

using Forms = std::vector<std::string>;

void AddOutputFlag(CLI::App& app, CommonFlags& common, const Forms& forms) {
  const std::string documents = "one document for programs on standard output";
  const bool wide = std::find(forms.begin(), forms.end(), "wide") != forms.end();
  FlagAdder(app)
      .Text("-o,--output", common.output,
            wide ? StrCat("json or yaml: ", documents, "; wide: more for people")
                 : StrCat("json: ", documents))
      ->check(CLI::IsMember(forms));
}

void AddCommonFlags(CLI::App& app, CommonFlags& common, const Forms& forms) {
  FlagAdder flags(app);
  flags.Text("--kubeconfig", common.kubeconfig,
             "Kubeconfig to use; else those of KUBECONFIG, else ~/.kube/config");
  flags.Text("--context", common.context, "Context of the kubeconfig; else its current one");
  flags.Text("-n,--namespace", common.ns, "Namespace; else the context's, else default")
      ->check(CheckNamespace);
  AddOutputFlag(app, common, forms);
}

// The parser of one command line.
class Parser {
 public:
  Parser(const std::vector<KnownCommand>& known, const Program& program)
      : app_(program.description, program.name) {
    app_.get_formatter()->column_width(36);
    app_.footer(kExitCodes);
    AddCommonFlags(app_, common_, {"json", "yaml", "wide"});
    AddAll(known, app_);
  }

  absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& args);

 private:
  struct Leaf {
    std::string report;
    bool needs_cluster = true;
    std::unique_ptr<Command> command;
  };

  void AddAll(const std::vector<KnownCommand>& known, CLI::App& app);

  CommonFlags common_;
  std::map<const CLI::App*, Leaf> leaves_;
  CLI::App app_;
};

// Adds all of `known`, of which the command line may name one.
void Parser::AddAll(const std::vector<KnownCommand>& known, CLI::App& app) {
  app.require_subcommand(0, 1);
  for (const KnownCommand& each : known) {
    CLI::App& sub = *app.add_subcommand(each.name, each.description);
    sub.get_formatter()->column_width(36);
    sub.footer(kExitCodes);
    if (each.make) {
      Leaf& leaf = leaves_[&sub];
      leaf = {each.report, each.needs_cluster, each.make()};
      leaf.command->AddFlags(sub);
    } else {
      AddAll(each.commands, sub);
    }
    if (each.asks) FlagAdder(sub).Switch("-y,--yes", common_.yes, "Ask nothing");
    if (each.needs_cluster) {
      AddCommonFlags(sub, common_, each.forms);
    } else {
      AddOutputFlag(sub, common_, each.forms);
    }
  }
}

absl::StatusOr<CommandLine> Parser::Parse(const std::vector<std::string>& args) {
  CommandLine line;
  try {
    app_.parse(ForCli11(args));
  } catch (const CLI::CallForHelp&) {
    line.help = app_.help();
    return line;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  const CLI::App* chosen = &app_;
  for (auto words = app_.get_subcommands(); !words.empty(); words = chosen->get_subcommands()) {
    chosen = words.front();
    StrAppend(&line.name, line.name.empty() ? "" : " ", chosen->get_name());
  }
  const auto leaf = leaves_.find(chosen);
  if (leaf == leaves_.end()) {
    CommandLine help;
    help.help = app_.help();
    return help;
  }
  RETURN_IF_ERROR(leaf->second.command->Check(common_));
  line.report = std::move(leaf->second.report);
  line.needs_cluster = leaf->second.needs_cluster;
  line.common = std::move(common_);
  line.command = std::move(leaf->second.command);
  return line;
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<KnownCommand>& known,
                                             const std::vector<std::string>& args,
                                             const Program& program) {
  return Parser(known, program).Parse(args);
}

}  // namespace steward::plugin

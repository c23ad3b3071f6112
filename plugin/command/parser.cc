#include "plugin/command/parser.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/flags/duration.h"
#include "base/flags/flag_adder.h"
#include "base/flags/go_arguments.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/kubeconfig.h"
#include "kube/meta/names.h"

namespace steward::plugin {
namespace {

constexpr char kClusterAndUser[] = "Cluster and user, as with kubectl";

constexpr char kForms[] = "json,yaml,name,wide,jsonpath=,jsonpath-as-json=";

constexpr char kExitCodes[] =
    "Exit codes: 0 done, 1 error, 2 wrong usage, 3 refused, 4 stalled or out of time, "
    "5 a preview warns";

std::string CheckNamespace(const std::string& text) {
  return kube::IsDns1123Label(text) ? "" : StrCat("\"", text, "\" is no namespace's name");
}

// True if the command, or a command of the group, has ObjectNames.
bool HasNames(const KnownCommand& known) {
  return known.names || std::any_of(known.commands.begin(), known.commands.end(), HasNames);
}

void AddOutputFlag(CLI::App& app, CommonFlags& common, bool has_names) {
  const auto check = [](const std::string& value) -> std::string {
    return IsOutput(value) ? "" : StrCat(value, " is none of ", kForms);
  };
  FlagAdder(app)
      .Text("-o,--output", common.output,
            StrCat("For programs: json, yaml, ", has_names ? "name, " : "",
                   "jsonpath=TEMPLATE or jsonpath-as-json=TEMPLATE; for people: wide"))
      ->check(CLI::Validator(check, StrCat("{", kForms, "}")));
}

// Reads a duration, or a number of seconds, as kubectl does; zero means that the user sets no
// limit.
std::string ReadTimeout(const std::string& text, absl::Duration& timeout) {
  int64_t seconds = 0;
  if (absl::SimpleAtoi(text, &seconds)) {
    timeout = absl::Seconds(seconds);
  } else if (std::string problem = ReadDuration(text, timeout); !problem.empty()) {
    return problem;
  }
  return timeout < absl::ZeroDuration() ? "it is negative" : "";
}

// Adds kubectl's own flags, with its names. `group` is their heading in the help; "" hides them.
void AddClusterFlags(CLI::App& app, CommonFlags& common, const std::string& group) {
  FlagAdder flags(app);
  kube::KubeconfigOverrides& cluster = common.cluster;
  flags
      .Text("--kubeconfig", common.kubeconfig,
            "Kubeconfig to use; else those of KUBECONFIG, else ~/.kube/config")
      ->group(group);
  flags.Text("--context", cluster.context, "Context of the kubeconfig; else its current one")
      ->group(group);
  flags.Text("--cluster", cluster.cluster, "Cluster of the kubeconfig; else the context's")
      ->group(group);
  flags.Text("--user", cluster.user, "User of the kubeconfig; else the context's")->group(group);
  flags.Text("-s,--server", cluster.server, "URL of the API server; else the cluster's")
      ->group(group);
  flags
      .Text("--certificate-authority", cluster.certificate_authority,
            "File of authorities that the server is verified by; else the cluster's")
      ->group(group);
  flags
      .Text("--tls-server-name", cluster.tls_server_name,
            "Name that the server's certificate must have; else the server's own")
      ->group(group);
  app.add_flag("--insecure-skip-tls-verify", cluster.insecure_skip_tls_verify,
               "Do not verify the server's certificate")
      ->group(group);
  flags.Text("--token", cluster.token, "Bearer token; else the user's credentials")->group(group);
  flags.Text("--as", cluster.as, "User to act as (impersonation)")->group(group);
  flags.Text("--as-uid", cluster.as_uid, "UID of whom to act as")->group(group);
  app.add_option("--as-group", cluster.as_groups, "Group to act as a member of; may be repeated")
      ->type_name("STRING")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  app.add_option_function<std::string>(
         "--request-timeout",
         [&common](const std::string& text) {
           const std::string problem = ReadTimeout(text, common.request_timeout);
           if (!problem.empty()) throw CLI::ValidationError("--request-timeout", problem);
         },
         "Limit of each request, as 5s or 1m; 0 = 30s, or 60s for a list")
      ->type_name("DURATION")
      ->group(group);
}

void AddVerbosity(CLI::App& app, CommonFlags& common, const std::string& group) {
  app.add_option("-v,--v", common.verbosity, "From 6 on, tell each request on standard error")
      ->check(CLI::Range(0, 10))
      ->type_name("INT")
      ->group(group);
}

void AddCommonFlags(CLI::App& app, CommonFlags& common, bool has_names, const std::string& group) {
  AddClusterFlags(app, common, group);
  AddVerbosity(app, common, group);
  FlagAdder(app)
      .Text("-n,--namespace", common.ns, "Namespace; else the context's, else default")
      ->check(CheckNamespace);
  AddOutputFlag(app, common, has_names);
}

}  // namespace

Parser::Parser(const std::vector<KnownCommand>& known, const Program& program)
    : help_(std::make_shared<HelpFormatter>(program.name)),
      app_(program.description, program.name) {
  app_.formatter(help_);
  app_.set_help_flag("-h,--help", "Print this help");
  app_.footer(kExitCodes);
  AddCommonFlags(app_, common_, std::any_of(known.begin(), known.end(), HasNames), kClusterAndUser);
  AddAll(known, program.name, app_);
}

// The help of a command leaves out the flags that all commands have; the help of the words before
// the command shows them.
void Parser::AddAll(const std::vector<KnownCommand>& known, const std::string& path,
                    CLI::App& app) {
  app.require_subcommand(0, 1);
  for (const KnownCommand& each : known) {
    CLI::App& sub = *app.add_subcommand(each.name, each.description);
    help_->SetExamples(sub, each.examples);
    const bool refers = each.needs_cluster && each.make;
    sub.footer(refers ? StrCat("Flags for cluster and user (--kubeconfig, --context, --as, ...): ",
                               path, " --help\n", kExitCodes)
                      : kExitCodes);
    if (each.make) {
      Leaf& leaf = leaves_[&sub];
      leaf = {each.report, each.asks, each.names, each.needs_cluster, each.make()};
      leaf.command->AddFlags(sub);
    } else {
      AddAll(each.commands, StrCat(path, " ", each.name), sub);
    }
    const bool has_names = HasNames(each);
    if (each.asks) FlagAdder(sub).Switch("-y,--yes", common_.yes, "Ask nothing");
    if (each.needs_cluster) {
      AddCommonFlags(sub, common_, has_names, each.make ? "" : kClusterAndUser);
    } else {
      AddOutputFlag(sub, common_, has_names);
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
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app_.remaining(/*recurse=*/true);
    return absl::InvalidArgumentError(
        StrCat("unknown ", !extras.empty() && extras[0].starts_with('-') ? "flag" : "argument",
               " \"", extras.empty() ? "" : extras[0], "\"; see \"", app_.get_name(), " --help\""));
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
  if (common_.output == "name" && !leaf->second.names) {
    return absl::InvalidArgumentError("--output: name: this command lists no objects");
  }
  RETURN_IF_ERROR(leaf->second.command->Check(common_));
  line.report = std::move(leaf->second.report);
  line.asks = leaf->second.asks;
  line.names = std::move(leaf->second.names);
  line.need =
      leaf->second.needs_cluster ? leaf->second.command->NeedOfCluster() : ClusterNeed::kNever;
  line.common = std::move(common_);
  line.command = std::move(leaf->second.command);
  return line;
}

}  // namespace steward::plugin

#include "cmd/steward/plugin.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "cmd/steward/plugin_options.h"
#include "cmd/steward/plugin_terminal.h"
#include "cmd/steward/version.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_options.h"
#include "plugin/abort.h"
#include "plugin/exit.h"
#include "plugin/preview.h"
#include "plugin/printable.h"
#include "plugin/report.h"
#include "plugin/restore.h"
#include "plugin/session.h"
#include "plugin/status_command.h"
#include "plugin/terminal.h"
#include "plugin/uninstall.h"

namespace steward {
namespace asio = boost::asio;
namespace {

using Command = PluginOptions::Command;

const char* KindOf(Command command) {
  switch (command) {
    case Command::kUninstall:
      return "UninstallReport";
    case Command::kStatus:
      return "StatusReport";
    case Command::kAbort:
      return "AbortReport";
    case Command::kRestore:
      return "RestoreReport";
  }
  return "";
}

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<kube::ClientConfig> FindCluster(const PluginOptions& options) {
  const std::vector<std::string> paths =
      kube::KubeconfigPaths(options.kubeconfig, Environment("KUBECONFIG"), Environment("HOME"));
  if (!paths.empty()) return kube::LoadKubeconfigs(paths, options.context);
  absl::StatusOr<kube::ClientConfig> pod = kube::InClusterConfig();
  if (pod.ok()) return pod;
  return plugin::Misused(
      "there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or put it at "
      "~/.kube/config");
}

plugin::UninstallOptions ForUninstall(const PluginOptions& options, const std::string& ns) {
  plugin::UninstallOptions uninstall;
  uninstall.csv = {ns, options.csv};
  if (options.cleanup) uninstall.wish = plugin::Wish::kDelete;
  if (options.keep) uninstall.wish = plugin::Wish::kKeep;
  uninstall.save = !options.no_save;
  uninstall.folder = options.folder;
  uninstall.wait = options.wait;
  uninstall.timeout = options.timeout;
  uninstall.dry_run = options.dry_run;
  uninstall.ignore_not_found = options.ignore_not_found;
  return uninstall;
}

StatusTask Task(plugin::Session& session, const PluginOptions& options, const std::string& ns) {
  switch (options.command) {
    case Command::kUninstall:
      return plugin::Uninstall(session, ForUninstall(options, ns));
    case Command::kStatus:
      return plugin::ShowStatus(session, {options.all_namespaces ? "" : ns, options.csv});
    case Command::kAbort:
      return plugin::Abort(session, {{ns, options.csv}, options.wait, options.timeout});
    case Command::kRestore:
      break;
  }
  return plugin::Restore(session, {options.folder, options.dry_run});
}

absl::Status Run(const PluginOptions& options, boost::json::object& document) {
  ASSIGN_OR_RETURN(const kube::ClientConfig config, FindCluster(options));
  asio::io_context io{1};
  kube::RestClientOptions rest;
  rest.user_agent = StrCat("kubectl-steward/", BuildVersion().git_version);
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> client,
                   kube::MakeRestClient(config, io.get_executor(), Clock::Real(), Random::Real(),
                                        std::move(rest)));
  // With a document on standard output, what is for people is not.
  plugin::Terminal terminal(ProcessTerminal(options.output.empty() ? stdout : stderr));
  plugin::Session session{*client, Clock::Real(), terminal, document, options.yes};
  const std::string context_ns = config.ns.empty() ? "default" : config.ns;
  return RunOn(io, Task(session, options, options.ns.empty() ? context_ns : options.ns));
}

}  // namespace

bool IsPluginName(std::string_view argv0) {
  const size_t slash = argv0.rfind('/');
  if (slash != std::string_view::npos) argv0.remove_prefix(slash + 1);
  return argv0 == "kubectl-steward";
}

int RunPlugin(const std::vector<std::string>& args) {
  const absl::StatusOr<PluginOptions> options = ParsePluginOptions(args);
  if (!options.ok()) {
    std::fprintf(stderr, "kubectl steward: %s\n", std::string(options.status().message()).c_str());
    return static_cast<int>(plugin::Exit::kUsage);
  }
  if (!options->help.empty()) {
    std::fputs(options->help.c_str(), stdout);
    return static_cast<int>(plugin::Exit::kDone);
  }
  boost::json::object document = plugin::NewReport(KindOf(options->command));
  const absl::Status status = Run(*options, document);
  plugin::Conclude(status, document);
  if (!status.ok()) {
    std::fprintf(stderr, "kubectl steward %s: %s\n", NameOf(options->command),
                 plugin::Printable(ToStd(status.message())).c_str());
  }
  if (!options->output.empty()) std::fputs(plugin::ReportText(document).c_str(), stdout);
  return static_cast<int>(plugin::ExitOf(status));
}

}  // namespace steward

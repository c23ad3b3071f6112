#include "cmd/steward/command_runner.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/discovery/version_info.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "base/text/printable.h"
#include "base/text/str_cat.h"
#include "cmd/steward/plugin_terminal.h"
#include "cmd/steward/version.h"
#include "kube/client/client.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/refusing_client.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_options.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "plugin/command/exit.h"
#include "plugin/command/output.h"
#include "plugin/command/report.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace steward {
namespace asio = boost::asio;
namespace {

// "kubectl-steward/v1.2"
std::string UserAgent(const plugin::Program& program) {
  std::string name = program.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return StrCat(name, "/", BuildVersion().git_version);
}

// The time that people have to log in with a credential plugin.
constexpr absl::Duration kLoginLimit = absl::Minutes(5);

// Without credentials, kubectl would ask for a name and a password. No cluster accepts these any
// more, so this program does not ask.
absl::StatusOr<kube::ClientConfig> FindCluster(const plugin::CommonFlags& flags) {
  absl::StatusOr<kube::ClientConfig> config =
      kube::FindCluster(flags.kubeconfig, {.overrides = flags.cluster});
  if (absl::IsFailedPrecondition(config.status())) {
    return plugin::Misused(
        "there is no kubeconfig: name one with --kubeconfig or KUBECONFIG, or put it at "
        "~/.kube/config");
  }
  if (config.ok() && config->tls && !kube::HasStaticCredentials(*config) && !config->exec) {
    return plugin::Misused("the kubeconfig's user has no credentials");
  }
  return config;
}

void Tell(const kube::Exchange& exchange) {
  std::fprintf(stderr, "%s %s %s in %s\n", std::string(exchange.method).c_str(),
               std::string(exchange.target).c_str(), std::string(exchange.code).c_str(),
               absl::FormatDuration(absl::Trunc(exchange.duration, absl::Milliseconds(1))).c_str());
}

kube::RestClientOptions ClientOptions(const plugin::Program& program,
                                      const plugin::CommonFlags& flags) {
  kube::RestClientOptions options;
  options.user_agent = UserAgent(program);
  options.transport.exec = {.limit = kLoginLimit, .shows_errors = true};
  if (flags.verbosity >= 6) options.transport.observer = &Tell;
  if (flags.request_timeout > absl::ZeroDuration()) {
    options.request_timeout = flags.request_timeout;
    options.list_timeout = flags.request_timeout;
  }
  return options;
}

// Prints an error as kubectl does, with the server's reason if the server answered.
void PrintError(const absl::Status& status) {
  const std::string reason = kube::IsAnswer(status) ? kube::FromStatus(status).reason : "";
  const std::string who = reason.empty() ? "error" : StrCat("Error from server (", reason, ")");
  std::fprintf(stderr, "%s: %s\n", who.c_str(), Printable(ToStd(status.message())).c_str());
}

// Where the text for people goes: to standard output, or, beside a document for programs, to
// standard error. With a template or names as output, the text of a command that does not ask goes
// nowhere.
std::FILE* AnswerFile(const plugin::CommandLine& line, const plugin::Output& output) {
  if (output.for_people()) return stdout;
  return output.whole() || line.asks ? stderr : nullptr;
}

absl::Status RunWith(kube::Client& client, const std::string& context_ns, asio::io_context& io,
                     const plugin::CommandLine& line, const plugin::Output& output,
                     boost::json::object& document) {
  const plugin::CommonFlags& flags = line.common;
  const discovery::VersionInfo version = BuildVersion();
  plugin::Terminal terminal(ProcessTerminal(AnswerFile(line, output)));
  plugin::Session session{.client = client,
                          .clock = Clock::Real(),
                          .terminal = terminal,
                          .document = document,
                          .yes = flags.yes,
                          .ns = flags.ns.empty() ? context_ns : flags.ns,
                          .wide = output.form == plugin::Output::Form::kWide,
                          .version = {.git_version = version.git_version,
                                      .git_commit = version.git_commit,
                                      .git_tree_state = version.git_tree_state,
                                      .build_date = version.build_date,
                                      .platform = version.platform}};
  return RunOn(io, line.command->Run(session));
}

absl::Status Run(const plugin::Program& program, const plugin::CommandLine& line,
                 const plugin::Output& output, boost::json::object& document) {
  constexpr char kDefaultNamespace[] = "default";
  asio::io_context io{1};
  absl::StatusOr<kube::ClientConfig> config =
      line.need == plugin::ClusterNeed::kNever
          ? absl::FailedPreconditionError("this command asks no cluster")
          : FindCluster(line.common);
  if (!config.ok() && line.need != plugin::ClusterNeed::kAlways) {
    kube::RefusingClient none(config.status());
    return RunWith(none, kDefaultNamespace, io, line, output, document);
  }
  RETURN_IF_ERROR(config.status());
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> client,
                   kube::MakeRestClient(*config, io.get_executor(), Clock::Real(), Random::Real(),
                                        ClientOptions(program, line.common)));
  const std::string& ns = config->ns.empty() ? kDefaultNamespace : config->ns;
  return RunWith(*client, ns, io, line, output, document);
}

// Prints the document. False if that fails.
bool Print(const plugin::CommandLine& line, const plugin::Output& output,
           const boost::json::object& document) {
  absl::StatusOr<std::string> text = plugin::Render(output, document, line.names);
  if (!text.ok()) {
    PrintError(text.status());
    return false;
  }
  // A template prints the cluster's strings unescaped, which is not safe on a terminal.
  if (output.form == plugin::Output::Form::kJsonPath && ::isatty(STDOUT_FILENO) != 0) {
    *text = PrintableLines(*text);
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  return true;
}

}  // namespace

int RunCommand(const plugin::Program& program, const std::vector<plugin::KnownCommand>& known,
               const std::vector<std::string>& args) {
  const absl::StatusOr<plugin::CommandLine> line = plugin::ParseCommandLine(known, args, program);
  if (!line.ok()) {
    PrintError(line.status());
    return static_cast<int>(plugin::Exit::kUsage);
  }
  if (!line->help.empty()) {
    std::fputs(line->help.c_str(), stdout);
    return static_cast<int>(plugin::Exit::kDone);
  }
  // A template that cannot be used is an ordinary error, as with kubectl.
  const absl::StatusOr<plugin::Output> output = plugin::ParseOutput(line->common.output);
  if (!output.ok()) {
    PrintError(output.status());
    return static_cast<int>(plugin::Exit::kError);
  }
  boost::json::object document = plugin::NewReport(line->report);
  const absl::Status status = Run(program, *line, *output, document);
  plugin::Conclude(status, document);
  if (!status.ok()) PrintError(status);
  const bool printed = Print(*line, *output, document);
  return static_cast<int>(status.ok() && !printed ? plugin::Exit::kError : plugin::ExitOf(status));
}

}  // namespace steward

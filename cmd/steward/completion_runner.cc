#include "cmd/steward/completion_runner.h"

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "kube/client/client.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_options.h"
#include "plugin/command/completion.h"
#include "plugin/commands.h"
#include "plugin/names.h"

namespace steward {
namespace asio = boost::asio;
namespace {

using Names = plugin::Completion::Names;

constexpr absl::Duration kPatience = absl::Seconds(3);

absl::StatusOr<std::vector<std::string>> AskCluster(const plugin::Completion& completion) {
  if (completion.names == Names::kNone) return std::vector<std::string>();
  ASSIGN_OR_RETURN(
      kube::ClientConfig config,
      kube::FindCluster(completion.common.kubeconfig, {.overrides = completion.common.cluster}));
  if (config.exec) config.exec->input = kube::ExecPlugin::Input::kNever;
  kube::RestClientOptions options;
  options.user_agent = "kubectl-steward-completion";
  options.request_timeout = options.list_timeout = kPatience;
  options.transport.exec.limit = kPatience;
  asio::io_context io{1};
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> client,
                   kube::MakeRestClient(config, io.get_executor(), Clock::Real(), Random::Real(),
                                        std::move(options)));
  std::string ns = completion.common.ns.empty() ? config.ns : completion.common.ns;
  if (ns.empty()) ns = "default";
  return RunOn(io, plugin::AskNames(*client, completion.names, std::move(ns)));
}

absl::StatusOr<std::vector<std::string>> NamesFor(const plugin::Completion& completion) {
  const auto names = [&]() -> absl::StatusOr<kube::KubeconfigNames> {
    return kube::ReadKubeconfigNames(
        kube::KubeconfigPaths(completion.common.kubeconfig, kube::ProcessEnvironment()));
  };
  switch (completion.names) {
    case Names::kContexts: {
      ASSIGN_OR_RETURN(kube::KubeconfigNames found, names());
      return std::move(found.contexts);
    }
    case Names::kClusters: {
      ASSIGN_OR_RETURN(kube::KubeconfigNames found, names());
      return std::move(found.clusters);
    }
    case Names::kUsers: {
      ASSIGN_OR_RETURN(kube::KubeconfigNames found, names());
      return std::move(found.users);
    }
    default:
      return AskCluster(completion);
  }
}

}  // namespace

int RunCompletion(const std::vector<std::string>& words) {
  const plugin::Completion completion = plugin::Complete(
      plugin::KnownCommands(), words.empty() ? std::vector<std::string>{""} : words);
  const absl::StatusOr<std::vector<std::string>> names = NamesFor(completion);
  const std::string text =
      plugin::CompletionText(completion, names.ok() ? *names : std::vector<std::string>());
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace steward

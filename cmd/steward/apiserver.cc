#include "cmd/steward/apiserver.h"

#include <prometheus/counter.h>
#include <prometheus/registry.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>

#include "apiserver/http/io_threads.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "apiserver/views/installed_operator/installed_operator.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "cmd/steward/version.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/rest_client.h"
#include "storage/reflector/world_feed.h"
#include "storage/world/world_metrics.h"
#include "storage/world/world_store.h"

namespace steward {
namespace asio = boost::asio;
namespace {

// The clients of one process: one connection pool per kubeconfig that differs.
struct Clients {
  std::unique_ptr<kube::Client> cluster;
  std::unique_ptr<kube::Client> token_reviews;   // null = as `cluster`
  std::unique_ptr<kube::Client> access_reviews;  // null = as `cluster`
};

absl::StatusOr<std::unique_ptr<kube::Client>> MakeClient(const std::string& kubeconfig,
                                                         asio::any_io_executor executor,
                                                         prometheus::Registry& registry) {
  absl::StatusOr<kube::ClientConfig> config =
      kubeconfig.empty() ? kube::InClusterConfig() : kube::LoadKubeconfig(kubeconfig);
  RETURN_IF_ERROR(config.status());
  auto& requests = prometheus::BuildCounter()
                       .Name("rest_client_requests_total")
                       .Help("Requests to the kube-apiserver, by method and code.")
                       .Register(registry);
  kube::RestClientOptions options;
  options.user_agent = StrCat("steward/", BuildVersion().git_version);
  options.observer = [&requests](std::string_view method, std::string_view code, absl::Duration) {
    requests.Add({{"method", std::string(method)}, {"code", std::string(code)}}).Increment();
  };
  return kube::MakeRestClient(*config, std::move(executor), Clock::Real(), Random::Real(),
                              std::move(options));
}

absl::StatusOr<Clients> MakeClients(const server::Options& options, asio::any_io_executor executor,
                                    prometheus::Registry& registry) {
  Clients clients;
  ASSIGN_OR_RETURN(clients.cluster, MakeClient(options.kubeconfig, executor, registry));
  if (!options.authentication_kubeconfig.empty()) {
    ASSIGN_OR_RETURN(clients.token_reviews,
                     MakeClient(options.authentication_kubeconfig, executor, registry));
  }
  if (!options.authorization_kubeconfig.empty()) {
    ASSIGN_OR_RETURN(clients.access_reviews,
                     MakeClient(options.authorization_kubeconfig, executor, registry));
  }
  return clients;
}

VoidTask UntilSignal(asio::signal_set& signals) {
  boost::system::error_code ignored;
  const int signal =
      co_await signals.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  log::Info("Stopping", {{"signal", signal}});
  // Whoever asks twice does not want to wait.
  signals.async_wait([](boost::system::error_code error, int) {
    if (!error) _exit(1);
  });
}

absl::Status Run(server::Options options) {
  // The thread of this function, `control`, runs the clients, the reflectors and the World's one
  // writer.
  asio::io_context control(1);
  asio::signal_set signals(control, SIGINT, SIGTERM);
  prometheus::Registry registry;
  ASSIGN_OR_RETURN(Clients clients, MakeClients(options, control.get_executor(), registry));

  storage::WorldStore worlds;
  storage::WorldMetrics world_metrics(registry);
  storage::WorldFeed feed(
      *clients.cluster, Clock::Real(), Random::Real(), worlds,
      [&world_metrics](const storage::World& world) { world_metrics.Observe(world); });
  views::InstalledOperators installed_operators(worlds);

  http::IoThreads threads;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<server::ApiServer> server,
      server::ApiServer::Create(
          options, {installed_operators.Resource()}, BuildVersion(),
          {.threads = threads,
           .clock = Clock::Real(),
           .random = Random::Real(),
           .registry = registry,
           .cluster = *clients.cluster,
           .token_reviews = clients.token_reviews ? *clients.token_reviews : *clients.cluster,
           .access_reviews = clients.access_reviews ? *clients.access_reviews : *clients.cluster,
           .synced = [&worlds] {
             return worlds.Current()->synced()
                        ? absl::OkStatus()
                        : absl::UnavailableError("the first lists are not complete yet");
           }}));
  RETURN_IF_ERROR(server->Start());
  log::Info("Serving", {{"address", options.bind_address}, {"port", server->port()}});

  TaskGroup tasks(control.get_executor());
  feed.Start(tasks);
  RunOn(control, UntilSignal(signals));
  // Requests first: they are answered from the last World while the feed still runs.
  RunOn(control, server->Stop());
  RunOn(control, tasks.Stop());
  log::Info("Stopped");
  return absl::OkStatus();
}

}  // namespace

int RunApiServer(const std::vector<std::string>& args) {
  absl::StatusOr<server::Options> options = server::ParseOptions(args);
  if (!options.ok()) {
    std::fprintf(stderr, "steward apiserver: %s\n",
                 std::string(options.status().message()).c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(server::HelpText().c_str(), stdout);
    return 0;
  }
  log::SetVerbosity(options->verbosity);
  const absl::Status status = Run(*std::move(options));
  if (status.ok()) return 0;
  std::fprintf(stderr, "steward apiserver: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace steward

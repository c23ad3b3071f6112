#include "cmd/steward/apiserver.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "apiserver/http/io_threads.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "apiserver/views/cleanup_status/cleanup_status.h"
#include "apiserver/views/cleanup_status/pending/pending.h"
#include "apiserver/views/installed_operator/installed_operator.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "cmd/steward/clients.h"
#include "cmd/steward/controllers_link.h"
#include "cmd/steward/until_signal.h"
#include "cmd/steward/version.h"
#include "kube/audit/log.h"
#include "kube/audit/options.h"
#include "storage/cleanup/outlooks.h"
#include "storage/reflector/revision_probe.h"
#include "storage/reflector/world_feed.h"
#include "storage/world/world_metrics.h"
#include "storage/world/world_store.h"

namespace steward {
namespace asio = boost::asio;
namespace {

absl::Status Run(server::Options options) {
  // The thread of this function, `control`, runs the clients, the reflectors and the World's one
  // writer.
  asio::io_context control(1);
  asio::signal_set signals(control, SIGINT, SIGTERM);
  prometheus::Registry registry;
  const log::Background logging(log::FormatOf(options.logging_format), registry);
  ASSIGN_OR_RETURN(Clients clients, MakeClients(options, control.get_executor(), registry));

  storage::WorldStore worlds;
  storage::WorldMetrics world_metrics(registry);
  storage::WorldFeed feed(
      *clients.cluster, Clock::Real(), Random::Real(), worlds,
      [&world_metrics](const storage::World& world) { world_metrics.Observe(world); });
  storage::RevisionProbe probe(*clients.cluster, Clock::Real(), worlds);
  const views::VirtualResourceOptions reads = {
      .on_newest_read = [&probe] { probe.Ask(); },
      .on_awaited = [&feed](const storage::StateVector& vector,
                            std::string_view asker) { feed.CatchUp(vector, asker); }};
  views::InstalledOperators installed_operators(worlds, reads);
  storage::CleanupOutlooks outlooks;
  views::CleanupStatuses cleanup_statuses(worlds, outlooks, Clock::Real(), reads);
  ASSIGN_OR_RETURN(const ControllersLink controllers, LinkToControllers(options));
  views::PendingView pending(*controllers.pending);

  ASSIGN_OR_RETURN(const std::unique_ptr<audit::Log> audit_log,
                   audit::Open(options.audit_log, Clock::Real(), registry));
  http::IoThreads threads;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<server::ApiServer> server,
      server::ApiServer::Create(
          options,
          {installed_operators.Resource(), cleanup_statuses.Resource({pending.Subresource()})},
          BuildVersion(),
          {.threads = threads,
           .clock = Clock::Real(),
           .random = Random::Real(),
           .registry = registry,
           .cluster = *clients.cluster,
           .token_reviews = *clients.token_reviews,
           .access_reviews = *clients.access_reviews,
           .synced =
               [&worlds] {
                 return worlds.Current()->synced()
                            ? absl::OkStatus()
                            : absl::UnavailableError("the first lists are not complete yet");
               },
           .audit_log = audit_log.get()}));
  RETURN_IF_ERROR(server->Start());
  log::Info("Serving", {{"address", options.bind_address}, {"port", server->port()}});

  TaskGroup tasks(control.get_executor());
  feed.Start(tasks);
  tasks.Spawn("learn the revision", probe.Run());
  tasks.Spawn("heartbeat", server->heartbeats().Beat("control"));
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

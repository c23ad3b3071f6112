#include "cmd/steward/apiserver.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "apiserver/http/io_threads.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/process/idle_memory.h"
#include "base/status/macros.h"
#include "cmd/steward/clients.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/controllers_link.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/until_signal.h"
#include "cmd/steward/version.h"
#include "cmd/steward/virtual_api.h"
#include "kube/audit/log.h"
#include "kube/audit/options.h"

namespace steward {
namespace asio = boost::asio;
namespace {

absl::Status Run(const server::Options& options) {
  // The thread of this function, `control`, runs the clients, the reflectors and the only writer of
  // Worlds.
  asio::io_context control(1);
  asio::signal_set signals(control, SIGINT, SIGTERM);
  prometheus::Registry registry;
  const log::Background logging(log::FormatOf(options.logging_format), registry);
  ASSIGN_OR_RETURN(Clients clients, MakeClients(options, control.get_executor(), registry));

  ClusterWorlds worlds(*clients.cluster, Clock::Real(), Random::Real(), registry);
  ASSIGN_OR_RETURN(const ControllersLink controllers, LinkToControllers(options));
  ASSIGN_OR_RETURN(const std::unique_ptr<audit::Log> audit_log,
                   audit::Open(options.audit_log, Clock::Real(), registry));
  http::IoThreads threads;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<server::ApiServer> server,
      server::ApiServer::Create(
          options,
          VirtualResources(
              {.worlds = worlds, .clock = Clock::Real(), .pending_operands = *controllers.pending}),
          BuildVersion(),
          {.threads = threads,
           .clock = Clock::Real(),
           .random = Random::Real(),
           .registry = registry,
           .cluster = *clients.cluster,
           .token_reviews = *clients.token_reviews,
           .access_reviews = *clients.access_reviews,
           .synced = [&worlds] { return worlds.Synced(); },
           .audit_log = audit_log.get()}));
  RETURN_IF_ERROR(server->Start());
  log::Info("Serving", {{"address", options.bind_address}, {"port", server->port()}});

  IdleMemory memory(Clock::Real());
  TaskGroup tasks(control.get_executor());
  worlds.Start(tasks);
  tasks.Spawn("idle memory", memory.Run());
  tasks.Spawn("heartbeat", server->heartbeats().Beat("control"));
  RunOn(control, UntilSignal(signals));
  // The server stops first, so that its last requests are answered from Worlds that are still
  // current.
  RunOn(control, server->Stop());
  RunOn(control, tasks.Stop());
  log::Info("Stopped");
  return absl::OkStatus();
}

}  // namespace

int RunApiServer(const std::vector<std::string>& args) {
  return RunSubcommand("apiserver", server::ParseOptions(args), server::HelpText, Run);
}

}  // namespace steward

#include "cmd/steward/apiserver.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/flags/feature_gates.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/process/idle_memory.h"
#include "base/status/macros.h"
#include "cmd/steward/clients.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/controllers_link.h"
#include "cmd/steward/reconcilers.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/until_signal.h"
#include "cmd/steward/version.h"
#include "cmd/steward/virtual_api.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "kube/audit/log.h"
#include "kube/audit/options.h"

namespace steward {
namespace asio = boost::asio;
namespace {

// The time, from the start, that this process waits for the first lists of plans before it counts
// as ready: a cluster that refuses these lists can still be asked about operators.
constexpr absl::Duration kWaitForPlans = absl::Seconds(30);

absl::Status Synced(const ClusterWorlds& operators, const ClusterWorlds& plans, absl::Time start) {
  RETURN_IF_ERROR(operators.Synced());
  if (Clock::Real().Now() - start > kWaitForPlans) return absl::OkStatus();
  return plans.Synced();
}

absl::Status Run(const server::Options& options) {
  // The thread of this function, `control`, runs the clients, the reflectors and the only writer of
  // Worlds.
  asio::io_context control(1);
  asio::signal_set signals(control, SIGINT, SIGTERM);
  prometheus::Registry registry;
  const log::Background logging(log::FormatOf(options.logging_format), registry);
  ASSIGN_OR_RETURN(Clients clients, MakeClients(options, control.get_executor(), registry));

  ClusterWorlds worlds(*clients.cluster, Clock::Real(), Random::Real(), registry,
                       OperatorSources());
  ClusterWorlds plans(*clients.cluster, Clock::Real(), Random::Real(), registry, PlanSources());
  ASSIGN_OR_RETURN(const ControllersLinks controllers, LinkToControllers(options));
  ASSIGN_OR_RETURN(const std::unique_ptr<audit::Log> audit_log,
                   audit::Open(options.audit_log, Clock::Real(), registry));
  http::IoThreads threads;
  ASSIGN_OR_RETURN(
      const std::unique_ptr<server::ApiServer> server,
      server::ApiServer::Create(
          options,
          VirtualResources({.worlds = worlds,
                            .plans = plans,
                            .clock = Clock::Real(),
                            .pending_operands = *controllers.pending,
                            .previews = *controllers.previews,
                            .optional_manifests =
                                options.feature_gates.IsOn(controllers::kOptionalManifestsGate)}),
          BuildVersion(),
          {.threads = threads,
           .clock = Clock::Real(),
           .random = Random::Real(),
           .registry = registry,
           .cluster = *clients.cluster,
           .token_reviews = *clients.token_reviews,
           .access_reviews = *clients.access_reviews,
           .synced = [&, started = Clock::Real().Now()] { return Synced(worlds, plans, started); },
           .audit_log = audit_log.get()}));
  RETURN_IF_ERROR(server->Start());
  log::Info("Serving", {{"address", options.bind_address}, {"port", server->port()}});

  IdleMemory memory(Clock::Real());
  TaskGroup tasks(control.get_executor());
  worlds.Start(tasks);
  plans.Start(tasks);
  tasks.Spawn("idle memory", memory.Run());
  tasks.Spawn("heartbeat", server->heartbeats().Beat("control"));
  RunOn(control, UntilSignal(signals));
  // Stop the server first, so that its last requests are answered from Worlds that are still
  // current.
  RunOn(control, server->Stop());
  RunOn(control, tasks.Stop());
  log::Info("Stopped");
  return absl::OkStatus();
}

}  // namespace

int RunApiServer(const std::vector<std::string>& args) {
  const std::vector<FeatureGate> gates = KnownFeatureGates();
  return RunSubcommand(
      "apiserver", server::ParseOptions(args, gates), [&] { return server::HelpText(gates); }, Run);
}

}  // namespace steward

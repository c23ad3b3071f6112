#include "cmd/steward/controllers.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/server/health.h"
#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/clock/heartbeats.h"
#include "base/flags/feature_gates.h"
#include "base/log/background.h"
#include "base/log/log.h"
#include "base/process/idle_memory.h"
#include "base/status/macros.h"
#include "cmd/steward/clients.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/controller_set.h"
#include "cmd/steward/controllers_options.h"
#include "cmd/steward/grpc.h"
#include "cmd/steward/grpc_services.h"
#include "cmd/steward/monitoring_servers.h"
#include "cmd/steward/reconcilers.h"
#include "cmd/steward/subcommand.h"
#include "cmd/steward/unreadable_events.h"
#include "cmd/steward/until_signal.h"
#include "controllers/cleanup/cleanup_flags.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/families.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/runtime/election/lease_elector.h"
#include "controllers/runtime/events/posted_events.h"
#include "controllers/runtime/policy_watch.h"
#include "kube/audit/log.h"
#include "kube/audit/options.h"

namespace steward {
namespace asio = boost::asio;
namespace {

controllers::LeaseElectorOptions ElectorOptions(const ControllersOptions& options,
                                                const std::string& identity) {
  controllers::LeaseElectorOptions elector;
  elector.lease = {options.lease_namespace, options.lease_name};
  elector.identity = identity;
  elector.lease_duration = options.lease_duration;
  elector.renew_deadline = options.renew_deadline;
  elector.retry_period = options.retry_period;
  return elector;
}

// For each element of `worlds`, readiness waits for the first lists.
std::vector<server::HealthCheck> HealthChecks(const std::vector<const ClusterWorlds*>& worlds,
                                              const Heartbeats& heartbeats) {
  server::HealthCheck threads;
  threads.name = "threads";
  threads.check = [&heartbeats] { return heartbeats.Check(); };
  std::vector<server::HealthCheck> checks = {server::PingCheck(), std::move(threads)};
  if (worlds.empty()) return checks;
  server::HealthCheck caches;
  caches.name = "caches";
  caches.in_healthz = false;
  caches.in_livez = false;
  caches.check = [worlds] {
    for (const ClusterWorlds* each : worlds) RETURN_IF_ERROR(each->Synced());
    return absl::OkStatus();
  };
  checks.push_back(std::move(caches));
  return checks;
}

VoidTask StopAtSignal(asio::signal_set& signals, StopSignal& stop) {
  co_await UntilSignal(signals);
  stop.Set();
}

// Releases everything that must not remain in a cluster without Steward.
absl::Status ReleaseAll(const ControllersOptions& options) {
  asio::io_context control(1);
  prometheus::Registry registry;
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> cluster,
                   MakeClient(options.kubeconfig, control.get_executor(), registry));
  controllers::HoldKeeper holds(*cluster);
  const controllers::SweepResult swept = RunOn(control, holds.ReleaseAll());
  std::printf("released: %zu\n", swept.released);
  return swept.failure;
}

absl::Status Run(const ControllersOptions& options) {
  LimitGrpcTls(options.tls);
  // The thread of this function, `control`, does all work except answering probes, /metrics and
  // gRPC.
  asio::io_context control(1);
  asio::signal_set signals(control, SIGINT, SIGTERM);
  prometheus::Registry registry;
  const log::Background logging(log::FormatOf(options.logging_format), registry);
  const std::string identity = controllers::NewElectionIdentity(Random::Real());
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> cluster,
                   MakeClient(options.kubeconfig, control.get_executor(), registry));
  // Each of the other clients has connections of its own. So a read of the guards, which expires
  // after two seconds, does not wait for a slow DELETE, and a renewal of the Lease does not wait
  // for a list.
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> reads,
                   MakeClient(options.kubeconfig, control.get_executor(), registry));
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> writes,
                   MakeClient(options.kubeconfig, control.get_executor(), registry));
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> leases,
                   MakeClient(options.kubeconfig, control.get_executor(), registry));

  const bool uses_worlds = UsesWorlds(options, KnownReconcilers());
  ClusterWorlds worlds(*cluster, Clock::Real(), Random::Real(), registry, OperatorSources());
  std::optional<controllers::LeaseElector> elector;
  if (options.leader_elect) {
    elector.emplace(*leases, Clock::Real(), Random::Real(), ElectorOptions(options, identity),
                    registry);
  }
  ControllerSet controllers(options, {.known = KnownReconcilers(),
                                      .executor = control.get_executor(),
                                      .clock = Clock::Real(),
                                      .random = Random::Real(),
                                      .watches = *cluster,
                                      .reads = *reads,
                                      .writes = *writes,
                                      .elector = elector ? &*elector : nullptr,
                                      .worlds = worlds.store(),
                                      .registry = registry,
                                      .instance = identity});

  Heartbeats heartbeats(Clock::Real());
  // The reviews of users who read metrics have connections of their own, too.
  std::unique_ptr<kube::Client> reviews;
  if (options.monitoring.secure && !options.monitoring.metrics.off()) {
    ASSIGN_OR_RETURN(reviews, MakeClient(options.kubeconfig, control.get_executor(), registry));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<audit::Log> audit_log,
                   audit::Open(options.audit_log, Clock::Real(), registry));
  controllers::PostedEvents events(control.get_executor(), controllers.events());
  std::unique_ptr<kube::Client> asking;
  std::unique_ptr<kube::Client> bundle_requesters;  // null: bundles are not previewed
  std::optional<ClusterWorlds> plans;               // set if the service about plans is served
  std::optional<GrpcWhenReady> grpc;
  if (!options.grpc.address.off()) {
    // The services have connections of their own, so that requesters keep no reconciler waiting.
    ASSIGN_OR_RETURN(asking, MakeClient(options.kubeconfig, control.get_executor(), registry));
    const std::set<std::string> families = FamiliesOf(options, KnownReconcilers());
    if (families.contains(controllers::kInstallPlansFamily.name)) {
      plans.emplace(*cluster, Clock::Real(), Random::Real(), registry, PlanSources());
    }
    const auto install_plans = options.reconciler_flags.Get<controllers::InstallPlanFlags>();
    if (!install_plans.bundle_preview_token_file.empty()) {
      ASSIGN_OR_RETURN(
          bundle_requesters,
          MakeClientWithToken(options.kubeconfig, install_plans.bundle_preview_token_file,
                              control.get_executor(), registry));
    }
    std::vector<rpc::ServedService> services = MakeGrpcServices(
        families,
        {.cluster = *asking,
         .worlds = worlds.store(),
         .events = events,
         .flags = options.reconciler_flags,
         .random = Random::Real(),
         .plans = plans ? &plans->store() : nullptr,
         .bundle_requesters = bundle_requesters.get(),
         .optional_manifests = options.feature_gates.IsOn(controllers::kOptionalManifestsGate)});
    const GrpcServingDeps deps = {.access_reviews = *asking,
                                  .registry = registry,
                                  .heartbeats = &heartbeats,
                                  .audit_log = audit_log.get()};
    grpc.emplace(options.grpc, deps, std::move(services));
    RETURN_IF_ERROR(grpc->Begin());
  }

  std::vector<const ClusterWorlds*> read;
  if (uses_worlds) read.push_back(&worlds);
  if (plans) read.push_back(&*plans);
  http::IoThreads threads(1);
  MonitoringServers monitoring(options.monitoring, {.reviews = reviews.get(),
                                                    .registry = registry,
                                                    .threads = threads,
                                                    .checks = HealthChecks(read, heartbeats)});
  if (const absl::Status started = monitoring.Start(); !started.ok()) {
    RunOn(control, monitoring.Stop());
    if (grpc) RunOn(control, grpc->Stop());
    return started;
  }

  controllers::PolicyWatch policies(*reads, Clock::Real(), controllers.events(), registry,
                                    PoliciesOf(options, KnownReconcilers()),
                                    {.lease = {options.lease_namespace, options.lease_name}});
  StopSignal stop;
  IdleMemory memory(Clock::Real());
  TaskGroup tasks(control.get_executor());
  worlds.SetReportUnreadable(UnreadableEvents(controllers.events()));
  if (uses_worlds) worlds.Start(tasks);
  if (plans) plans->Start(tasks);
  tasks.Spawn("idle memory", memory.Run());
  tasks.Spawn("policies", policies.Run());
  tasks.Spawn("signals", StopAtSignal(signals, stop));
  tasks.Spawn("heartbeat", heartbeats.Beat("control"));
  tasks.Spawn("metrics certificate", monitoring.Run());
  if (grpc) tasks.Spawn("serve gRPC", grpc->Run());
  log::Info("Running", {{"reconcilers", absl::StrJoin(options.reconcilers, ",")},
                        {"identity", identity},
                        {"leaderElect", options.leader_elect}});
  RunOn(control, controllers.Run(stop));
  RunOn(control, tasks.Stop());
  if (grpc) RunOn(control, grpc->Stop());
  RunOn(control, monitoring.Stop());
  log::Info("Stopped");
  return absl::OkStatus();
}

}  // namespace

int RunControllers(const std::vector<std::string>& args) {
  const std::vector<FeatureGate> gates = KnownFeatureGates();
  return RunSubcommand(
      "controllers", ParseControllersOptions(args, KnownReconcilers(), gates),
      [&] { return ControllersHelpText(KnownReconcilers(), gates); },
      [](const ControllersOptions& options) {
        const auto cleanup = options.reconciler_flags.Get<controllers::CleanupFlags>();
        return cleanup.release_all ? ReleaseAll(options) : Run(options);
      });
}

}  // namespace steward

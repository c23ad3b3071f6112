#include "cmd/steward/grpc_services.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_flags.h"
#include "controllers/cleanup/cleanup_reconciler.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/copies/toggle_flags.h"
#include "controllers/families.h"
#include "controllers/preview/live_plan_previewer.h"
#include "controllers/rpc/cleanup/service.h"
#include "controllers/rpc/copied_csv/copied_csv_calls.h"
#include "controllers/rpc/copied_csv/service.h"
#include "controllers/rpc/plan/service.h"
#include "kube/dry_run/dry_run_client.h"
#include "kube/meta/errors.h"
#include "storage/cleanup/outlooks.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/world/world.h"

namespace steward {
namespace {

rpc::ServedService CleanupService(const GrpcServiceDeps& deps) {
  struct Parts {
    Parts(const controllers::GuardOptions& guards, const GrpcServiceDeps& deps)
        : inspector(deps.cluster, Clock::Real(), controllers::CsvsOf(deps.worlds, guards.terms),
                    guards, deps.events) {}
    storage::CleanupOutlooks outlooks;
    controllers::CleanupInspector inspector;
  };
  const auto parts = std::make_shared<Parts>(
      controllers::GuardsOf(deps.flags.Get<controllers::CleanupFlags>()), deps);
  return rpc::ServeCleanup(
      {.clock = Clock::Real(),
       .worlds = deps.worlds,
       .outlooks = [parts](const storage::WorldPtr& world) { return parts->outlooks.Of(world); },
       .inspector = parts->inspector});
}

Task<bool> ServesInstalledOperators(kube::Client& cluster) {
  const kube::GroupVersion views = {"views.operators.coreos.com", "v1alpha1"};
  const absl::StatusOr<std::vector<kube::ApiResource>> served = co_await cluster.Discover(views);
  if (kube::IsNotServed(served.status())) co_return false;
  if (!served.ok()) co_return served.status();
  co_return std::any_of(served->begin(), served->end(), [](const kube::ApiResource& resource) {
    return resource.resource == "installedoperators";
  });
}

Task<bool> Yes() { co_return true; }

rpc::ServedService CopiedCsvService(const GrpcServiceDeps& deps) {
  const auto copies = std::make_shared<controllers::FollowedCopies>(
      deps.cluster, Clock::Real(), deps.random, deps.worlds,
      controllers::ToggleDefaultsOf(deps.flags));
  rpc::CopiedCsvCallsDeps calls = {
      .clock = Clock::Real(), .cluster = deps.cluster, .worlds = deps.worlds, .copies = *copies};
  calls.reconciles = deps.makes_copies;
  // This closure keeps `copies` alive, to which the other closures refer.
  calls.serves_installed_operators = [copies, views = deps.serves_views, &cluster = deps.cluster] {
    return views ? Yes() : ServesInstalledOperators(cluster);
  };
  return rpc::ServeCopiedCsvs(std::move(calls));
}

rpc::ServedService PlanService(const GrpcServiceDeps& deps) {
  struct Parts {
    explicit Parts(const GrpcServiceDeps& deps)
        : previewer(kube::DryRunClient(deps.cluster), Requesters(deps.bundle_requesters),
                    Clock::Real(),
                    {.optional_manifests = deps.optional_manifests,
                     .impersonates = deps.impersonates_requesters}) {}
    static std::optional<kube::DryRunClient> Requesters(kube::Client* client) {
      if (client == nullptr) return std::nullopt;
      return std::make_optional<kube::DryRunClient>(*client);
    }
    storage::PlanOutlooks outlooks;
    controllers::LivePlanPreviewer previewer;
  };
  const auto parts = std::make_shared<Parts>(deps);
  return rpc::ServePlans(
      {.clock = Clock::Real(),
       .worlds = *deps.plans,
       .outlooks = [parts](const storage::WorldPtr& world) { return parts->outlooks.Of(world); },
       .previewer = parts->previewer,
       .optional_manifests = deps.optional_manifests});
}

}  // namespace

const std::vector<KnownGrpcService>& KnownGrpcServices() {
  // Each service has one line.
  static const auto& known = *new std::vector<KnownGrpcService>{
      {controllers::kCleanupFamily.name, CleanupService},
      {controllers::kCopiesFamily.name, CopiedCsvService},
      {controllers::kInstallPlansFamily.name, PlanService},
  };
  return known;
}

std::set<std::string> FamiliesWithGrpc() {
  std::set<std::string> families;
  for (const KnownGrpcService& service : KnownGrpcServices()) families.insert(service.family);
  return families;
}

std::vector<rpc::ServedService> MakeGrpcServices(const std::set<std::string>& families,
                                                 const GrpcServiceDeps& deps,
                                                 const std::vector<KnownGrpcService>& known) {
  std::vector<rpc::ServedService> services;
  for (const KnownGrpcService& service : known) {
    if (families.contains(service.family)) services.push_back(service.make(deps));
  }
  return services;
}

}  // namespace steward

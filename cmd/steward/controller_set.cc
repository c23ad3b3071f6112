#include "cmd/steward/controller_set.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "cmd/steward/reconcilers.h"
#include "controllers/runtime/controller.h"
#include "storage/world/world.h"

namespace steward {
namespace {

// Waiting ends now and then, to no effect.
constexpr absl::Duration kPatience = absl::Hours(1);

controllers::ClusterEventsOptions EventOptions(const std::string& instance) {
  controllers::ClusterEventsOptions options;
  options.instance = instance;
  return options;
}

}  // namespace

ControllerSet::ControllerSet(const ControllersOptions& options, ControllerSetDeps deps)
    : options_(options),
      deps_(std::move(deps)),
      client_(deps_.reads, deps_.writes,
              deps_.elector != nullptr ? deps_.elector->leadership()
                                       : static_cast<const controllers::Leadership&>(always_),
              Clock::Real()),
      events_(deps_.watches, Clock::Real(), Random::Real(), EventOptions(deps_.instance),
              deps_.registry),
      metadata_(deps_.watches, Clock::Real(), Random::Real(), deps_.executor),
      manager_({.executor = deps_.executor,
                .clock = Clock::Real(),
                .elector = deps_.elector,
                .client = client_,
                .events = events_,
                .caches_synced = [this] { return UntilSynced(deps_.worlds); }}) {
  for (const KnownReconciler& known : KnownReconcilers()) {
    const auto& wanted = options_.reconcilers;
    if (std::find(wanted.begin(), wanted.end(), known.options.name) == wanted.end()) continue;
    manager_.Add(std::make_unique<controllers::Controller>(
        known.options,
        [this, make = known.prepare(options_, deps_.registry)] { return make(Deps()); },
        deps_.executor, Clock::Real(), deps_.registry));
  }
}

controllers::ReconcilerDeps ControllerSet::Deps() {
  return {.client = client_,
          .leadership = deps_.elector != nullptr ? deps_.elector->leadership() : always_,
          .worlds = deps_.worlds,
          .metadata = metadata_,
          .events = events_,
          .clock = Clock::Real(),
          .random = Random::Real(),
          .registry = deps_.registry};
}

VoidTask ControllerSet::UntilSynced(storage::WorldStore& worlds) {
  while (!worlds.Current()->synced()) {
    co_await worlds.WaitUntil([](const storage::World& world) { return world.synced(); },
                              kPatience);
  }
}

VoidTask ControllerSet::Run(StopSignal& stop) {
  co_await manager_.Run(stop);
  co_await metadata_.Stop();
}

}  // namespace steward

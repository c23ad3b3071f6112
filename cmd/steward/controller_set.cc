#include "cmd/steward/controller_set.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "controllers/runtime/controller.h"
#include "storage/world/world.h"

namespace steward {
namespace {

// Each wait ends after this time, and then starts over.
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
              deps_.clock),
      unfenced_(deps_.reads, deps_.writes, always_, deps_.clock),
      events_(deps_.watches, deps_.clock, deps_.random, EventOptions(deps_.instance),
              deps_.registry),
      metadata_(deps_.watches, deps_.clock, deps_.random, deps_.executor),
      peer_gate_(deps_.reads, deps_.clock, deps_.executor, deps_.registry,
                 {.takeover = options_.takeover}),
      manager_({.executor = deps_.executor,
                .clock = deps_.clock,
                .elector = deps_.elector,
                .client = client_,
                .events = events_,
                .peer_gate = &peer_gate_,
                .caches_synced = [this] { return UntilSynced(); }}) {
  for (const controllers::KnownReconciler& known : deps_.known) {
    const auto& wanted = options_.reconcilers;
    if (std::find(wanted.begin(), wanted.end(), known.options.name) == wanted.end()) continue;
    auto controller = std::make_unique<controllers::Controller>(
        known.options,
        [this, elected = known.elected,
         make = known.prepare(options_.reconciler_flags, deps_.registry)] {
          return make(Deps(elected));
        },
        deps_.executor, deps_.clock, deps_.registry);
    if (!known.elected) {
      manager_.AddUnelected(std::move(controller));
      continue;
    }
    if (!known.conflicts_with.empty()) peer_gate_.Guard(*controller, known.conflicts_with);
    manager_.Add(std::move(controller));
  }
}

controllers::ReconcilerDeps ControllerSet::Deps(bool elected) {
  const bool fenced = elected && deps_.elector != nullptr;
  return {.client = elected ? client_ : unfenced_,
          .leadership = fenced ? deps_.elector->leadership() : always_,
          .worlds = deps_.worlds,
          .metadata = metadata_,
          .events = events_,
          .clock = deps_.clock,
          .random = deps_.random,
          .registry = deps_.registry,
          .gates = options_.feature_gates};
}

VoidTask ControllerSet::UntilSynced() {
  storage::WorldStore& worlds = deps_.worlds;
  if (!UsesWorlds(options_, deps_.known)) co_return;
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

// A set of reconcilers with everything that they need. Lives on one executor.
#ifndef CMD_STEWARD_CONTROLLER_SET_H_
#define CMD_STEWARD_CONTROLLER_SET_H_

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <string>
#include <vector>

#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "cmd/steward/controllers_options.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/election/lease_elector.h"
#include "controllers/runtime/events/cluster_events.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/peer_gate.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward {

struct ControllerSetDeps {
  const std::vector<controllers::KnownReconciler>& known;
  boost::asio::any_io_executor executor;
  Clock& clock;
  Random& random;
  // Each client has connections of its own, because each watch occupies a connection: so reads for
  // a decision never wait for watches, nor for the answers to writes.
  kube::Client& watches;  // also for events
  kube::Client& reads;
  kube::Client& writes;
  // null: no election, as this process is the only one
  controllers::LeaseElector* elector = nullptr;
  // kept current by the caller, if a reconciler uses them
  storage::WorldStore& worlds;
  prometheus::Registry& registry;
  std::string instance;  // names the process in its events
};

// Runs the configured reconcilers while this process is leader, and those that need no election at
// all times.
class ControllerSet {
 public:
  // The references and pointers outlive this object. REQUIRES: the options' reconcilers are among
  // the known ones.
  ControllerSet(const ControllersOptions& options, ControllerSetDeps deps);
  ControllerSet(const ControllerSet&) = delete;
  ControllerSet& operator=(const ControllerSet&) = delete;

  // The events are written while Run runs, on the executor.
  controllers::EventRecorder& events() { return events_; }

  // Returns after `stop` was set and everything has ended. Called once, and not cancelled.
  VoidTask Run(StopSignal& stop);

 private:
  controllers::ReconcilerDeps Deps(bool elected);
  VoidTask UntilSynced();

  const ControllersOptions options_;
  const ControllerSetDeps deps_;
  const controllers::AlwaysLeader always_;
  controllers::FencedClient client_;
  controllers::FencedClient unfenced_;  // for reconcilers that run without election
  controllers::ClusterEvents events_;
  controllers::MetadataWatches metadata_;
  controllers::PeerGate peer_gate_;
  controllers::Manager manager_;
};

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLER_SET_H_

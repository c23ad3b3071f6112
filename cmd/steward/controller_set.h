// Reconcilers and all that they stand on, put together.
#ifndef CMD_STEWARD_CONTROLLER_SET_H_
#define CMD_STEWARD_CONTROLLER_SET_H_

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <string>

#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "cmd/steward/controllers_options.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/election/lease_elector.h"
#include "controllers/runtime/events/cluster_events.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward {

struct ControllerSetDeps {
  boost::asio::any_io_executor executor;
  // Each with connections of its own: what is read, to decide, waits for no answer to a write, and
  // neither for watches, of which each takes one.
  kube::Client& watches;  // and events
  kube::Client& reads;
  kube::Client& writes;
  controllers::LeaseElector* elector = nullptr;  // null: this process is alone
  storage::WorldStore& worlds;                   // somebody else feeds it
  prometheus::Registry& registry;
  std::string instance;  // which process events are from
};

// Lives on one executor.
class ControllerSet {
 public:
  // The references, and the elector, outlive this object. REQUIRES: the options' reconcilers are
  // known.
  ControllerSet(const ControllersOptions& options, ControllerSetDeps deps);
  ControllerSet(const ControllerSet&) = delete;
  ControllerSet& operator=(const ControllerSet&) = delete;

  // Written while Run runs, on the executor.
  controllers::EventRecorder& events() { return events_; }

  // Returns, everything ended, after `stop` was set. Once; not to be cancelled.
  VoidTask Run(StopSignal& stop);

 private:
  controllers::ReconcilerDeps Deps();
  static VoidTask UntilSynced(storage::WorldStore& worlds);

  const ControllersOptions options_;
  const ControllerSetDeps deps_;
  const controllers::AlwaysLeader always_;
  controllers::FencedClient client_;
  controllers::ClusterEvents events_;
  controllers::MetadataWatches metadata_;
  controllers::Manager manager_;
};

}  // namespace steward

#endif  // CMD_STEWARD_CONTROLLER_SET_H_

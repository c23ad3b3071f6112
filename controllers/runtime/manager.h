// The controllers of a process, and the order in which its parts begin and end. Lives on one
// executor.
//
//   start:  caches synced -> controllers without election
//           -> leader -> controllers (those that do what OLM does: at its gate)
//   stop:   controllers end (or are cancelled in time) -> events written -> leadership released
//
// When leadership is lost, the controllers end at once; the process then campaigns again.
#ifndef CONTROLLERS_RUNTIME_MANAGER_H_
#define CONTROLLERS_RUNTIME_MANAGER_H_

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/election/fenced_client.h"
#include "controllers/runtime/election/lease_elector.h"
#include "controllers/runtime/events/cluster_events.h"
#include "controllers/runtime/peer_gate.h"

namespace steward::controllers {

struct ManagerOptions {
  // The time that running reconciles have to end by themselves when the process is told to stop.
  absl::Duration stop_grace = absl::Seconds(10);
  absl::Duration flush_limit = absl::Seconds(2);  // for the last events
};

// The dependencies of the manager; all of them outlive it.
struct ManagerDeps {
  boost::asio::any_io_executor executor;
  Clock& clock;
  // Null: this process is the only one, and always leader.
  LeaseElector* elector = nullptr;
  // The client of all controllers' writes. While one of its writes may still be on its way, the
  // manager does not release leadership, but lets it run out.
  const FencedClient& client;
  ClusterEvents& events;
  // Starts and stops the controllers that it guards. Null: no controller is guarded.
  PeerGate* peer_gate = nullptr;
  // Returns when reconcilers may trust their caches. Cancellable.
  std::function<VoidTask()> caches_synced;
};

// Runs the controllers during leadership.
class Manager {
 public:
  Manager(ManagerDeps deps, ManagerOptions options = {});
  // REQUIRES: Run has ended, or was never called.
  ~Manager();

  // Called before Run.
  void Add(std::unique_ptr<Controller> controller);
  // Called before Run, for a controller that runs whether this process is leader or not.
  void AddUnelected(std::unique_ptr<Controller> controller);

  // Runs until `stop` is set, and returns when everything has ended. Called once, and not
  // cancelled.
  VoidTask Run(StopSignal& stop);

  // True while the controllers run.
  bool leading() const { return leading_; }

 private:
  void StartControllers();
  VoidTask StopControllers(absl::Duration grace);
  VoidTask StopAll(const std::vector<std::unique_ptr<Controller>>& controllers,
                   absl::Duration grace);
  static VoidTask StopOne(Controller& controller, absl::Duration grace, size_t& left,
                          Broadcast& ended);
  VoidTask RunElected(StopSignal& stop);
  VoidTask Release();

  const ManagerDeps deps_;
  const ManagerOptions options_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<std::unique_ptr<Controller>> unelected_;
  bool leading_ = false;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_MANAGER_H_

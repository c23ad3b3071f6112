// The controllers of a process, and the order in which things begin and end.
//
//   start:  caches synced -> leader -> controllers
//   stop:   controllers end (or are cancelled in time) -> events written -> leadership released
//
// Leadership that is lost ends the controllers at once; the process then campaigns again.
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

namespace steward::controllers {

struct ManagerOptions {
  // How long reconciles may take to end by themselves when the process is told to stop.
  absl::Duration stop_grace = absl::Seconds(10);
  absl::Duration flush_limit = absl::Seconds(2);  // for the last events
};

// What the manager starts, stops and asks; all of it outlives the manager.
struct ManagerDeps {
  boost::asio::any_io_executor executor;
  Clock& clock;
  // Null: this process is alone and always leader.
  LeaseElector* elector = nullptr;
  // By which all controllers write. While a write of it may still be on its way, leadership is not
  // released but runs out.
  const FencedClient& client;
  ClusterEvents& events;
  // Returns when reconcilers may trust their caches. Cancellable.
  std::function<VoidTask()> caches_synced;
};

// Lives on one executor.
class Manager {
 public:
  Manager(ManagerDeps deps, ManagerOptions options = {});
  // REQUIRES: Run has ended, or was never called.
  ~Manager();

  // Before Run.
  void Add(std::unique_ptr<Controller> controller);

  // Returns, everything ended, after `stop` was set. Once; not to be cancelled.
  VoidTask Run(StopSignal& stop);

  // Whether the controllers run now.
  bool leading() const { return leading_; }

 private:
  void StartControllers();
  VoidTask StopControllers(absl::Duration grace);
  static VoidTask StopOne(Controller& controller, absl::Duration grace, size_t& left,
                          Broadcast& ended);
  VoidTask RunElected(StopSignal& stop);
  VoidTask Release();

  const ManagerDeps deps_;
  const ManagerOptions options_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  bool leading_ = false;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_MANAGER_H_

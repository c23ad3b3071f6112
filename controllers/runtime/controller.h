// The controller of one reconciler: a queue, its feed, and workers. Lives on one executor.
#ifndef CONTROLLERS_RUNTIME_CONTROLLER_H_
#define CONTROLLERS_RUNTIME_CONTROLLER_H_

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/queue/queue_metrics.h"
#include "controllers/runtime/queue/rate_limiter.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconcile_metrics.h"
#include "controllers/runtime/reconciler.h"

namespace steward::controllers {

struct ControllerOptions {
  std::string name;    // of metrics and log lines
  size_t workers = 1;  // keys worked on at a time
  // The number of further workers that take only quick keys (Reconciler::IsQuick), so that these
  // need not wait for slow ones.
  size_t quick_workers = 0;
  RateLimits limits;
};

// Makes a fresh reconciler for each term.
using MakeReconciler = std::function<std::unique_ptr<Reconciler>()>;

// Every member is called on the executor.
class Controller {
 public:
  // REQUIRES: `clock` and `registry` outlive this object; workers > 0.
  Controller(ControllerOptions options, MakeReconciler make, boost::asio::any_io_executor executor,
             Clock& clock, prometheus::Registry& registry);
  // REQUIRES: not started, or stopped.
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Makes a reconciler, and begins to feed it and to work. REQUIRES: the controller is not running.
  void Start();

  // Ends the feed and takes no more keys; lets running reconciles end by themselves within `grace`,
  // then cancels the rest. Returns when all have ended and the reconciler is destroyed; false if
  // any had to be cancelled. Start may be called again.
  boost::asio::awaitable<bool> Stop(absl::Duration grace);

  const std::string& name() const { return options_.name; }
  bool running() const { return term_ != nullptr; }

 private:
  struct Term;

  VoidTask Work(Term& term, WorkQueue::Suits suits);
  StatusTask ReconcileOne(Term& term, Key key);
  VoidTask Measure(Term& term);

  const ControllerOptions options_;
  const MakeReconciler make_;
  const boost::asio::any_io_executor executor_;
  Clock& clock_;
  QueueMetrics queue_metrics_;
  ReconcileMetrics metrics_;
  std::unique_ptr<Term> term_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_CONTROLLER_H_

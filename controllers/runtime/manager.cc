#include "controllers/runtime/manager.h"

#include <optional>
#include <utility>

#include "base/async/broadcast.h"
#include "base/async/ends_before.h"
#include "base/async/task_group.h"
#include "base/log/log.h"

namespace steward::controllers {
namespace {

constexpr auto kForEver = std::chrono::steady_clock::time_point::max();

// The renewal of one term, which runs until it fails or is told to end.
class Renewal {
 public:
  Renewal(const boost::asio::any_io_executor& executor, LeaseElector& elector) : tasks_(executor) {
    tasks_.Spawn("renew leadership", Run(*this, elector));
  }

  VoidTask UntilLost() {
    while (!lost_) co_await changed_.WaitSince(changed_.Now(), kForEver);
  }
  VoidTask Stop() { co_await tasks_.Stop(); }

 private:
  static VoidTask Run(Renewal& renewal, LeaseElector& elector) {
    co_await elector.Renew();
    renewal.lost_ = true;
    renewal.changed_.Notify();
  }

  bool lost_ = false;
  Broadcast changed_;
  TaskGroup tasks_;
};

}  // namespace

Manager::Manager(ManagerDeps deps, ManagerOptions options)
    : deps_(std::move(deps)), options_(options) {}

Manager::~Manager() = default;

void Manager::Add(std::unique_ptr<Controller> controller) {
  controllers_.push_back(std::move(controller));
}

void Manager::AddUnelected(std::unique_ptr<Controller> controller) {
  unelected_.push_back(std::move(controller));
}

void Manager::StartControllers() {
  for (const auto& controller : controllers_) {
    if (deps_.peer_gate == nullptr || !deps_.peer_gate->Guards(*controller)) controller->Start();
  }
  if (deps_.peer_gate != nullptr) deps_.peer_gate->Begin();
  leading_ = true;
}

VoidTask Manager::StopControllers(absl::Duration grace) {
  leading_ = false;
  if (deps_.peer_gate != nullptr) co_await deps_.peer_gate->End();
  co_await StopAll(controllers_, grace);
}

// Stops all at the same time, because `grace` is for the whole process, not for each controller.
VoidTask Manager::StopAll(const std::vector<std::unique_ptr<Controller>>& controllers,
                          absl::Duration grace) {
  TaskGroup stopping(deps_.executor);
  size_t left = controllers.size();
  Broadcast ended;
  for (const auto& controller : controllers) {
    stopping.Spawn("stop " + controller->name(), StopOne(*controller, grace, left, ended));
  }
  while (left > 0) co_await ended.WaitSince(ended.Now(), kForEver);
  co_await stopping.Stop();
}

VoidTask Manager::StopOne(Controller& controller, absl::Duration grace, size_t& left,
                          Broadcast& ended) {
  co_await controller.Stop(grace);
  --left;
  ended.Notify();
}

VoidTask Manager::Run(StopSignal& stop) {
  TaskGroup events(deps_.executor);
  events.Spawn("events", deps_.events.Run());
  if (co_await EndsBefore(stop, deps_.caches_synced())) {
    for (const auto& controller : unelected_) controller->Start();
    if (deps_.elector == nullptr) {
      StartControllers();
      co_await stop.Wait();
      co_await StopControllers(options_.stop_grace);
      co_await deps_.events.Flush(options_.flush_limit);
    } else {
      co_await RunElected(stop);
    }
    co_await StopAll(unelected_, options_.stop_grace);
  }
  co_await events.Stop();
}

VoidTask Manager::RunElected(StopSignal& stop) {
  while (co_await EndsBefore(stop, deps_.elector->Acquire())) {
    Renewal renewal(deps_.executor, *deps_.elector);
    StartControllers();
    const bool lost = co_await EndsBefore(stop, renewal.UntilLost());
    if (lost) {
      co_await StopControllers(absl::ZeroDuration());
      co_await renewal.Stop();
      continue;
    }
    // Renew leadership until all controllers have ended.
    co_await StopControllers(options_.stop_grace);
    co_await deps_.events.Flush(options_.flush_limit);
    co_await renewal.Stop();
    co_await Release();
    co_return;
  }
}

VoidTask Manager::Release() {
  const std::optional<absl::Duration> unresolved = deps_.client.last_unresolved();
  if (unresolved.has_value() &&
      deps_.clock.Monotonic() - *unresolved < deps_.elector->options().lease_duration) {
    log::Warning("A write may still be on its way: the Lease is left to run out");
    co_return;
  }
  co_await deps_.elector->Release();
}

}  // namespace steward::controllers

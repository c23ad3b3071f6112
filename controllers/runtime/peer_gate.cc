#include "controllers/runtime/peer_gate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/async/ends_before.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/time_limit.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/text/str_cat.h"

namespace steward::controllers {

struct PeerGate::Guarded {
  Controller& controller;
  const std::set<PeerOperator> conflicts_with;
  prometheus::Gauge& conflict;
  Finding told = Finding::kNone;
};

struct PeerGate::Term {
  explicit Term(const boost::asio::any_io_executor& executor) : tasks(executor) {}

  StopSignal over;   // the term is to end
  StopSignal ended;  // nothing is started or stopped any more
  TaskGroup tasks;
};

PeerGate::PeerGate(kube::Client& client, Clock& clock, boost::asio::any_io_executor executor,
                   prometheus::Registry& registry, PeerGateOptions options)
    : client_(client),
      clock_(clock),
      executor_(std::move(executor)),
      options_(options),
      conflicts_(GaugeFamily(registry, "steward_peer_conflict",
                             "1: an operator that does the same runs, or that is not known.")) {}

PeerGate::~PeerGate() = default;

void PeerGate::Guard(Controller& controller, std::set<PeerOperator> conflicts_with) {
  guarded_.push_back(
      {controller, std::move(conflicts_with), conflicts_.Add({{"controller", controller.name()}})});
}

bool PeerGate::Guards(const Controller& controller) const {
  return std::any_of(guarded_.begin(), guarded_.end(), [&controller](const Guarded& guarded) {
    return &guarded.controller == &controller;
  });
}

void PeerGate::Begin() {
  if (guarded_.empty()) return;
  known_at_ = -absl::InfiniteDuration();
  term_ = std::make_unique<Term>(executor_);
  term_->tasks.Spawn("peers", Follow(*term_));
}

VoidTask PeerGate::End() {
  if (term_ == nullptr) co_return;
  term_->over.Set();
  co_await term_->ended.Wait();
  co_await term_->tasks.Stop();
  term_ = nullptr;
  for (Guarded& guarded : guarded_) {
    guarded.conflict.Set(0);
    guarded.told = Finding::kNone;
  }
}

// Not cancelled, because stopping a controller must complete.
VoidTask PeerGate::Follow(Term& term) {
  while (true) {
    absl::StatusOr<PeerPresence> seen = absl::UnavailableError("not looked yet");
    if (!co_await EndsBefore(term.over, Look(seen))) break;
    co_await Apply(seen);
    const absl::Duration pause = seen.ok() ? options_.period : options_.retry_period;
    if (!co_await EndsBefore(term.over, clock_.Sleep(pause))) break;
  }
  term.ended.Set();
}

VoidTask PeerGate::Look(absl::StatusOr<PeerPresence>& seen) {
  std::set<PeerOperator> wanted;
  for (const Guarded& guarded : guarded_) {
    wanted.insert(guarded.conflicts_with.begin(), guarded.conflicts_with.end());
  }
  Task<PeerPresence> reading = ReadPeerPresence(client_, std::move(wanted));
  seen = co_await WithTimeout(clock_, options_.timeout, "Deployments", std::move(reading));
}

VoidTask PeerGate::Apply(const absl::StatusOr<PeerPresence>& seen) {
  const absl::Duration now = clock_.Monotonic();
  if (seen.ok()) known_at_ = now;
  for (Guarded& guarded : guarded_) {
    Controller& controller = guarded.controller;
    Finding finding = seen.ok() ? Finding::kNone : Finding::kUnknown;
    for (const PeerOperator which : guarded.conflicts_with) {
      if (seen.ok() && seen->contains(which)) finding = Finding::kConflict;
    }
    const bool runs_on = controller.running() && now - known_at_ < options_.good_for;
    if (finding == Finding::kUnknown && runs_on) continue;
    Tell(guarded, finding, seen);
    const bool may_run = finding == Finding::kNone || options_.takeover;
    if (may_run && !controller.running()) controller.Start();
    if (!may_run && controller.running()) co_await controller.Stop(absl::ZeroDuration());
  }
}

void PeerGate::Tell(Guarded& guarded, Finding finding, const absl::StatusOr<PeerPresence>& seen) {
  guarded.conflict.Set(finding == Finding::kNone ? 0 : 1);
  if (std::exchange(guarded.told, finding) == finding) return;
  const std::string& controller = guarded.controller.name();
  switch (finding) {
    case Finding::kNone:
      log::Info("No other operator does the same any more", {{"controller", controller}});
      return;
    case Finding::kUnknown:
      log::Warning(
          options_.takeover
              ? "Runs although it is not known whether another operator does the same (--takeover)"
              : "Does not run as long as it is not known whether another operator does the same",
          {{"controller", controller}, {"err", seen.status()}});
      return;
    case Finding::kConflict:
      for (const PeerOperator which : guarded.conflicts_with) {
        const auto found = seen->find(which);
        if (found == seen->end()) continue;
        log::Warning(options_.takeover
                         ? "Runs beside an operator that does the same (--takeover)"
                         : "Does not run beside an operator that does the same; --takeover "
                           "would run it",
                     {{"controller", controller},
                      {"peer", NameOf(which)},
                      {"deployment", StrCat(found->second.ns, "/", found->second.name)}});
        return;
      }
      return;
  }
}

}  // namespace steward::controllers

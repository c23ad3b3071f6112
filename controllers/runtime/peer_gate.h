// Keeps reconcilers from doing the same as another operator that runs in the cluster. Lives on one
// executor.
#ifndef CONTROLLERS_RUNTIME_PEER_GATE_H_
#define CONTROLLERS_RUNTIME_PEER_GATE_H_

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/peer_presence.h"
#include "kube/client/client.h"

namespace steward::controllers {

struct PeerGateOptions {
  // --takeover: conflicts are reported, and have no other effect.
  bool takeover = false;
  absl::Duration period = absl::Minutes(1);         // from one look to the next
  absl::Duration retry_period = absl::Seconds(10);  // after a look that failed
  absl::Duration timeout = absl::Seconds(10);       // of a look
  // The time for which a running controller goes on after the last look that did not fail.
  absl::Duration good_for = absl::Minutes(3);
};

// Within a term of leadership, starts each guarded controller once it is known that no operator
// runs that the controller conflicts with. Stops the controller, and cancels its reconciles, once
// such an operator runs:
//
//   Begin ──► looks ──► none runs: started, if it is not
//               ▲  ├──► one runs:  stopped, if it runs
//               │  └──► failed:    not started; stopped when `good_for` has passed since it was
//               known └── waits a period
//
// The reason that keeps a controller from running is logged in one sentence when it changes. While
// there is a conflict, the gauge steward_peer_conflict{controller} is 1, also with `takeover`.
// Without guarded controllers, there are no looks.
//
// Every member is called on the executor.
class PeerGate {
 public:
  // REQUIRES: the references outlive this object.
  PeerGate(kube::Client& client, Clock& clock, boost::asio::any_io_executor executor,
           prometheus::Registry& registry, PeerGateOptions options = {});
  // REQUIRES: ended, or never begun.
  ~PeerGate();
  PeerGate(const PeerGate&) = delete;
  PeerGate& operator=(const PeerGate&) = delete;

  // Called before the first Begin, once for each controller. REQUIRES: `controller` outlives this
  // object's terms.
  void Guard(Controller& controller, std::set<PeerOperator> conflicts_with);
  bool Guards(const Controller& controller) const;

  // Begins a term. REQUIRES: no term and no guarded controller runs.
  void Begin();
  // Ends the term: from then on, this object starts and stops nothing, and the caller stops the
  // running controllers. Not cancelled.
  VoidTask End();

 private:
  enum class Finding { kNone, kConflict, kUnknown };
  struct Guarded;
  struct Term;

  VoidTask Follow(Term& term);
  VoidTask Look(absl::StatusOr<PeerPresence>& seen);
  VoidTask Apply(const absl::StatusOr<PeerPresence>& seen);
  void Tell(Guarded& guarded, Finding finding, const absl::StatusOr<PeerPresence>& seen);

  kube::Client& client_;
  Clock& clock_;
  const boost::asio::any_io_executor executor_;
  const PeerGateOptions options_;
  prometheus::Family<prometheus::Gauge>& conflicts_;
  std::vector<Guarded> guarded_;
  absl::Duration known_at_;  // of this term; monotonic
  std::unique_ptr<Term> term_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_PEER_GATE_H_

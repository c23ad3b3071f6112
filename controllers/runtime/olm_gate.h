// The gate that keeps reconcilers from doing what OLM does in the same cluster. Lives on one
// executor.
#ifndef CONTROLLERS_RUNTIME_OLM_GATE_H_
#define CONTROLLERS_RUNTIME_OLM_GATE_H_

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
#include "controllers/runtime/olm_presence.h"
#include "kube/client/client.h"

namespace steward::controllers {

struct OlmGateOptions {
  // --takeover: conflicts are reported, and have no other effect.
  bool takeover = false;
  absl::Duration period = absl::Minutes(1);         // from one look to the next
  absl::Duration retry_period = absl::Seconds(10);  // after a look that failed
  absl::Duration timeout = absl::Seconds(10);       // of a look
  // The time for which a running controller goes on after the last look that did not fail.
  absl::Duration good_for = absl::Minutes(3);
};

// Within a term of leadership, starts each guarded controller once it is known that none of the
// operators of OLM that it conflicts with runs, and stops it, cancelling what it does, once one
// does:
//
//   Begin ──► looks ──► none runs: started, if it is not
//               ▲  ├──► one runs:  stopped, if it runs
//               │  └──► failed:    not started; stopped when `good_for` has passed since it was
//               known └── waits a period
//
// The reason that keeps a controller from running is logged in one sentence, when it changes;
// meanwhile the gauge steward_olm_conflict{controller} is 1, also with `takeover`. Without guarded
// controllers there are no looks.
//
// Every member is called on the executor.
class OlmGate {
 public:
  // REQUIRES: the references outlive this object.
  OlmGate(kube::Client& client, Clock& clock, boost::asio::any_io_executor executor,
          prometheus::Registry& registry, OlmGateOptions options = {});
  // REQUIRES: ended, or never begun.
  ~OlmGate();
  OlmGate(const OlmGate&) = delete;
  OlmGate& operator=(const OlmGate&) = delete;

  // Called before the first Begin, once for each controller. REQUIRES: `controller` outlives this
  // object's terms.
  void Guard(Controller& controller, std::set<OlmOperator> conflicts_with);
  bool Guards(const Controller& controller) const;

  // Begins a term. REQUIRES: no term runs, and no guarded controller does.
  void Begin();
  // Ends the term: from then on nothing is started or stopped; the caller stops the controllers
  // that run. Not cancelled.
  VoidTask End();

 private:
  enum class Finding { kNone, kConflict, kUnknown };
  struct Guarded;
  struct Term;

  VoidTask Follow(Term& term);
  VoidTask Look(absl::StatusOr<OlmPresence>& seen);
  VoidTask Apply(const absl::StatusOr<OlmPresence>& seen);
  void Tell(Guarded& guarded, Finding finding, const absl::StatusOr<OlmPresence>& seen);

  kube::Client& client_;
  Clock& clock_;
  const boost::asio::any_io_executor executor_;
  const OlmGateOptions options_;
  prometheus::Family<prometheus::Gauge>& conflicts_;
  std::vector<Guarded> guarded_;
  absl::Duration known_at_;  // of this term; monotonic
  std::unique_ptr<Term> term_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_OLM_GATE_H_

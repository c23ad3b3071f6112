// Works on what a cleanup deletes and waits for, a round at a time.
#ifndef CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_
#define CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/cleanup/pass_reporter.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Lives on one executor; calls about different ClusterServiceVersions may overlap.
class DeletionRounds {
 public:
  // `watches` may be null: what is waited for is polled. `watched_period`: how often what is
  // watched is looked at all the same. REQUIRES: the references outlive this object and its calls.
  DeletionRounds(kube::Client& client, Deleter& deleter, ProgressReporter& reporter,
                 PassReporter& pass_reporter, OperandWatches* watches, Clock& clock,
                 absl::Duration watched_period)
      : client_(client),
        deleter_(deleter),
        reporter_(reporter),
        pass_reporter_(pass_reporter),
        watches_(watches),
        clock_(clock),
        watched_period_(watched_period) {}

  // One round over `pass.listing`, or the next one over what an earlier pass began.
  Task<ReconcileResult> Run(CleanupPass& pass);
  // When to look again at what the operator has to finish.
  absl::Duration Wait(CleanupPass& pass);

 private:
  VoidTask TellProgress(CleanupPass& pass, const DeletionRound& so_far);
  absl::Duration NextAfter(CleanupPass& pass, const DeletionRound& round);

  kube::Client& client_;
  Deleter& deleter_;
  ProgressReporter& reporter_;
  PassReporter& pass_reporter_;
  OperandWatches* const watches_;
  Clock& clock_;
  const absl::Duration watched_period_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_

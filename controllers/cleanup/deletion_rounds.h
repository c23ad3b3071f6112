// The rounds in which a cleanup deletes operands and waits for them. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_
#define CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_

#include <utility>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Calls about different ClusterServiceVersions may overlap.
class DeletionRounds {
 public:
  // If `watches` is null, pending operands are polled. Watched operands are still listed every
  // `watched_period`. REQUIRES: the references outlive this object and its calls.
  DeletionRounds(kube::Client& client, GuardReader& guards, const Leadership& leadership,
                 ProgressReporter& reporter, OperandWatches* watches, Clock& clock,
                 DeleterOptions options, absl::Duration watched_period)
      : client_(client),
        deleter_(client, guards, leadership, clock, options),
        reporter_(reporter),
        watches_(watches),
        clock_(clock),
        watched_period_(watched_period) {}

  // Runs one round over `pass.listing`, or the next one of a listing that an earlier pass began.
  Task<ReconcileResult> Run(CleanupPass& pass);
  // The time until the next look at operands that the operator still has to finish.
  absl::Duration Wait(CleanupPass& pass);

 private:
  VoidTask TellProgress(CleanupPass& pass, const DeletionRound& so_far);
  absl::Duration NextAfter(CleanupPass& pass, const DeletionRound& round);

  kube::Client& client_;
  Deleter deleter_;
  ProgressReporter& reporter_;
  OperandWatches* const watches_;
  Clock& clock_;
  const absl::Duration watched_period_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_DELETION_ROUNDS_H_

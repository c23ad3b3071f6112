// Ends cleanups: lets go of the operator's rights, then of the ClusterServiceVersion.
#ifndef CONTROLLERS_CLEANUP_FINISHER_H_
#define CONTROLLERS_CLEANUP_FINISHER_H_

#include "base/async/task.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/co_owners.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "olm/cleanup/csv_facts.h"

namespace steward::controllers {

// Lives on one executor; calls about different ClusterServiceVersions may overlap.
class Finisher {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Finisher(HoldKeeper& holds, CoOwners& co_owners, CsvWriter& writer, ProgressReporter& reporter)
      : holds_(holds), co_owners_(co_owners), writer_(writer), reporter_(reporter) {}

  // Lets go of what is held, after it has written down that this is for good: whatever changes
  // later, nothing of this object is deleted any more, as nobody would be left to finish it
  // (R-000-89). True the first time; false when the rights were let go of before and some are still
  // held. REQUIRES: pass.holds.ok()
  Task<bool> ReleaseRights(CleanupPass& pass);
  // Removes the finalizer and tells the end; false when something changed meanwhile: look again. A
  // refusal first marks the operators that share definitions and are uninstalled with this one, so
  // that all of them are refused, in whichever order they go (R-000-60).
  Task<bool> Finish(CleanupPass& pass);
  // Lets go of the finalizer and then of the rights at once (R-000-42): what cannot be let go of
  // now is swept up later. False when something changed meanwhile: look again.
  Task<bool> Abort(const olm::CsvFacts& csv);

 private:
  VoidTask LetGoOf(kube::NamespacedName csv);
  void Tell(const CleanupPass& pass);

  HoldKeeper& holds_;
  CoOwners& co_owners_;
  CsvWriter& writer_;
  ProgressReporter& reporter_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_FINISHER_H_

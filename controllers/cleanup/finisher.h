// The end of cleanups: releases the operator's rights, then the ClusterServiceVersion. Lives on one
// executor.
#ifndef CONTROLLERS_CLEANUP_FINISHER_H_
#define CONTROLLERS_CLEANUP_FINISHER_H_

#include "base/async/task.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/co_owners.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// Calls about different ClusterServiceVersions may overlap.
class Finisher {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Finisher(HoldKeeper& holds, CoOwners& co_owners, CsvWriter& writer, ProgressReporter& reporter)
      : holds_(holds), co_owners_(co_owners), writer_(writer), reporter_(reporter) {}

  // Writes kRightsReleasedAnnotation, then releases the held rights. From then on no operand of
  // this object is deleted any more, whatever changes, because no operator would be left to finish
  // it (R-000-89). Returns true the first time, and false when the rights were released before and
  // some are still held. REQUIRES: pass.holds.ok()
  Task<bool> ReleaseRights(CleanupPass& pass);
  // Removes the finalizer and reports the end; false when something changed meanwhile, so that the
  // caller looks again. If the cleanup is refused, first marks the co-owners that are uninstalled
  // with this operator, so that all of them are refused, in whichever order they go (R-000-60).
  Task<bool> Finish(CleanupPass& pass);
  // Removes the finalizer and then releases the rights at once (R-000-42); if that fails, a later
  // sweep releases them. Returns false when something changed meanwhile, so that the caller looks
  // again.
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

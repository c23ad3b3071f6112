// The common refusal of operators that share definitions and are uninstalled together (R-000-60).
// Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CO_OWNERS_H_
#define CONTROLLERS_CLEANUP_CO_OWNERS_H_

#include "base/async/task.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// An operator that is removed without a cleanup leaves custom resources behind, which the next
// owner, then being the only one, would delete. So it first marks the others (kRefusalAnnotation).
// Calls may overlap.
class CoOwners {
 public:
  // REQUIRES: the references outlive this object and its calls.
  CoOwners(CsvLister& csvs, CsvWriter& writer) : csvs_(csvs), writer_(writer) {}

  // Marks the ClusterServiceVersions that are being deleted, are opted in and share a definition
  // with `inputs.csv`, from a list of its own: of `inputs` only the ClusterServiceVersion and its
  // record are used. Returns false when one changed meanwhile, so that the caller looks again.
  // Fails when they could not be read or written.
  Task<bool> Mark(const olm::CleanupInputs& inputs);
  // Marks `inputs.csv` itself, which is refused, if the next look may not see the reason any more:
  // another original, which may be gone by then, owns one of its definitions; it is deleted with
  // the orphan propagation, or was seen to be deleted in the foreground where no policy refuses
  // that, and the garbage collector removes the finalizer; or the record of what
  // was begun was removed. Returns false when it changed meanwhile.
  Task<bool> MarkItself(const olm::CleanupInputs& inputs);

 private:
  CsvLister& csvs_;
  CsvWriter& writer_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CO_OWNERS_H_

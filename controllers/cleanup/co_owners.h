// The common refusal of operators that share definitions and are uninstalled together (R-000-60).
// Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CO_OWNERS_H_
#define CONTROLLERS_CLEANUP_CO_OWNERS_H_

#include "base/async/task.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// An operator that is removed without a cleanup leaves custom resources behind. The last co-owner
// would then be the only owner, and delete them. So the operator that is removed first marks the
// others (kRefusalAnnotation). Calls may overlap.
class CoOwners {
 public:
  // REQUIRES: the references outlive this object and its calls.
  CoOwners(CsvLister& csvs, CsvWriter& writer) : csvs_(csvs), writer_(writer) {}

  // Lists all ClusterServiceVersions, and marks those that are being deleted, are opted in and
  // share a definition with `inputs.csv`. Uses only `inputs.csv` and its record. Returns false when
  // one of them changed meanwhile, so that the caller looks again. Fails when they could not be
  // read or written.
  Task<bool> Mark(const olm::CleanupInputs& inputs);
  // Marks `inputs.csv` itself, which is refused, if a later reading may not see the reason any
  // more: (a) another original owns one of its definitions, and may be gone by then; (b) it was
  // deleted with orphan propagation, or in the foreground where no policy refuses that, and the
  // garbage collector removes its finalizer; (c) the record of a cleanup that had begun was
  // removed. Returns false when the CSV changed meanwhile.
  Task<bool> MarkItself(const olm::CleanupInputs& inputs);

 private:
  CsvLister& csvs_;
  CsvWriter& writer_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CO_OWNERS_H_

// Refuses, together, operators that share definitions and are uninstalled together (R-000-60).
#ifndef CONTROLLERS_CLEANUP_CO_OWNERS_H_
#define CONTROLLERS_CLEANUP_CO_OWNERS_H_

#include "base/async/task.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// An operator that goes without having been cleaned up leaves custom resources behind, which the
// next owner, being alone then, would delete. So it leaves a mark on the others first
// (kRefusalAnnotation). Lives on one executor; calls may overlap.
class CoOwners {
 public:
  // REQUIRES: the references outlive this object and its calls.
  CoOwners(CsvLister& csvs, CsvWriter& writer) : csvs_(csvs), writer_(writer) {}

  // Marks those that are being deleted, are opted in and share a definition with `inputs.csv`, by a
  // list of its own: of `inputs` only the ClusterServiceVersion and its record count. False when
  // one changed meanwhile: look again. An error when they could not be read or written.
  Task<bool> Mark(const olm::CleanupInputs& inputs);
  // Marks `inputs.csv` itself, which is refused, for a reason that the next look may not see any
  // more: another original owns one of its definitions, which may be gone by then; it is deleted
  // with the wish to orphan, which the garbage collector takes off; or the record of what was begun
  // was taken away. False when it changed meanwhile.
  Task<bool> MarkItself(const olm::CleanupInputs& inputs);

 private:
  CsvLister& csvs_;
  CsvWriter& writer_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CO_OWNERS_H_

// The findings of one pass over a ClusterServiceVersion that is being deleted. Used by one
// coroutine.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_PASS_H_
#define CONTROLLERS_CLEANUP_CLEANUP_PASS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controllers/cleanup/cleanup_memory.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/reporting/report.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/verdict.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

struct CleanupPass {
  CleanupMemory& memory;
  GuardReading guards;  // guards.inputs.csv is there
  olm::Verdict verdict;
  olm::StepInputs step;
  absl::StatusOr<OperandListing> listing = absl::UnavailableError("not listed");
  absl::StatusOr<HoldState> holds = absl::UnavailableError("not listed");
  CleanupReport report;
  bool told = false;

  // The pass for its reporter, which tells of it now.
  ReportedPass Reported() {
    told = true;
    return {csv(), guards.csv, report, memory.stall, memory.status_written};
  }

  // The pending operands; null: they are not known.
  const OperandListing* Listing() const {
    if (memory.cursor != nullptr) return &memory.cursor->listing();
    return listing.ok() ? &*listing : nullptr;
  }
  const olm::CsvFacts& csv() const { return *guards.inputs.csv; }
  bool refused() const { return verdict.kind == olm::CleanupVerdictKind::kRefused; }
  bool unknown() const { return verdict.kind == olm::CleanupVerdictKind::kUnknown; }

  // The methods below compare when the guards were read with the memory.

  // True if a reading that ended `confirm_after` before these guards were read refused, too, and so
  // did every one since.
  bool RefusedBefore(absl::Duration confirm_after) const;
  // True if copies have had `within` since they were seen first to be what is left.
  bool CopiesHadTime(absl::Duration within) const;
  // True if a DELETE that nobody answered may arrive yet, `within` of it having been sent, and
  // recorded objects may be left for it.
  bool MayArrive(absl::Duration within) const;
  // Notes in the memory what the verdict, which was reached by `now`, says first.
  void Remember(absl::Duration now);
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_PASS_H_

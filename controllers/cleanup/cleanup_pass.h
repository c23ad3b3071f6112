// The state of one pass over a ClusterServiceVersion that is being deleted. Used by one coroutine.
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
  GuardReading guards;  // guards.inputs.csv.ok()
  olm::Verdict verdict;
  olm::StepInputs step;
  absl::StatusOr<OperandListing> listing = absl::UnavailableError("not listed");
  absl::StatusOr<HoldState> holds = absl::UnavailableError("not listed");
  CleanupReport report;
  bool told = false;

  // The pass as the ProgressReporter takes it. Sets `told`.
  ReportedPass Reported() {
    told = true;
    return {csv(), guards.csv, report, memory.stall, memory.status_written};
  }

  // The pending operands; null = unknown.
  const OperandListing* Listing() const {
    if (memory.cursor != nullptr) return &memory.cursor->listing();
    return listing.ok() ? &*listing : nullptr;
  }
  const olm::CsvFacts& csv() const { return *guards.inputs.csv; }
  bool refused() const { return verdict.kind == olm::CleanupVerdictKind::kRefused; }
  bool unknown() const { return verdict.kind == olm::CleanupVerdictKind::kUnknown; }

  // The methods below compare the time of the guards' reading with the times in `memory`.

  // True if an earlier reading, at least `confirm_after` before this one, was refused, and so was
  // every reading since.
  bool RefusedBefore(absl::Duration confirm_after) const;
  // True if kCopiesLeft was first seen at least `within` ago.
  bool CopiesHadTime(absl::Duration within) const;
  // True if a DELETE without an answer may still arrive, because it was sent less than `within`
  // ago, and may find recorded objects (MayLeaveRecorded).
  bool MayArrive(absl::Duration within) const;
  // Stores in `memory` the record, when the verdict first had kCopiesLeft, and since when it has
  // been refused. `now` is the time of the verdict.
  void Remember(absl::Duration now);
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_PASS_H_

// One pass over a ClusterServiceVersion that is being deleted, and the memory between its passes.
// Live on one executor.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_PASS_H_
#define CONTROLLERS_CLEANUP_CLEANUP_PASS_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/ledger.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/reporting/report.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "kube/meta/names.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/verdict.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// The knowledge that a cleaner keeps between the passes of one cleanup. May be lost at any time. It
// makes a cleanup gentler (waits, counts of recreations) or stricter (an edited record), but never
// lets it delete more. Times are monotonic.
struct CleanupMemory {
  CleanupMemory(std::string uid_of_csv, StallDetector detector)
      : uid(std::move(uid_of_csv)), stall(std::move(detector)) {}

  std::string uid;
  std::optional<olm::CleanupRecord> remembered;
  bool wrote_record = false;  // this process did, so it knows all deletions
  DeletionLedger ledger;
  std::unique_ptr<DeletionCursor> cursor;  // null: no deletions are under way
  // As of the last reading: the CSV may have copies, to which OLM copies its status.
  bool may_be_copied = true;
  StallDetector stall;
  std::optional<absl::Duration> status_written;
  std::optional<absl::Duration> refused_since;  // every reading since then was refused
  // The last time at which the result of a DELETE was unknown. For DELETEs of another process: when
  // this process began.
  std::optional<absl::Duration> unanswered;
  std::optional<absl::Duration> copies_since;  // when the verdict first had kCopiesLeft
  std::string reported;                        // the operator's last reason why it cannot finish
  int looks = 0;                               // since the last change
  int unknowns = 0;                            // consecutive passes that could not go on

  // The time until the next look at operands that the operator has to finish.
  absl::Duration NextLook() {
    return std::min(absl::Seconds(1) * (1 << std::min(looks++, 4)), absl::Seconds(10));
  }
  // The time until a failed step is tried again.
  absl::Duration NextTry() {
    return std::min(absl::Seconds(1) * (1 << std::min(unknowns++, 5)), absl::Seconds(30));
  }
};

// The memories of the ClusterServiceVersions that are being deleted. Lives on one executor.
class CleanupMemories {
 public:
  // `clock` outlives the memories. A cleanup that gets nothing done for `stall_timeout` is stalled.
  CleanupMemories(const Clock& clock, absl::Duration stall_timeout)
      : clock_(clock), stall_timeout_(stall_timeout) {}

  // The memory of `csv`. Creates a new one if there is none, or only one of another UID. Valid
  // until Forget.
  CleanupMemory& Of(const olm::CsvFacts& csv);
  void Forget(const kube::NamespacedName& csv) { memories_.erase(csv); }

  size_t size() const { return memories_.size(); }

 private:
  const Clock& clock_;
  const absl::Duration stall_timeout_;
  std::map<kube::NamespacedName, std::unique_ptr<CleanupMemory>> memories_;
};

// The state of one pass. Used by one coroutine.
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

// A cleaner's memory of ClusterServiceVersions between passes. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CLEANUP_MEMORY_H_
#define CONTROLLERS_CLEANUP_CLEANUP_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/ledger.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "kube/meta/names.h"
#include "olm/cleanup/record.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// May be lost at any time. It makes a cleanup gentler (waits, counts of recreations) or stricter
// (an edited record), but never lets it delete more. Times are monotonic.
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

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANUP_MEMORY_H_

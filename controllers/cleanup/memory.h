// What a cleaner remembers of one ClusterServiceVersion between passes, and within one.
#ifndef CONTROLLERS_CLEANUP_MEMORY_H_
#define CONTROLLERS_CLEANUP_MEMORY_H_

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/ledger.h"
#include "controllers/cleanup/operands/operand_lister.h"

namespace steward::controllers {

struct Cleaner::Memory {
  // Below, a few that users create meanwhile are many.
  static constexpr size_t kFewOperands = 5;

  std::string uid;
  std::optional<olm::CleanupRecord> remembered;
  DeletionLedger ledger;
  std::unique_ptr<DeletionCursor> cursor;  // null: no deletions are under way
  absl::Duration progressed;               // monotonic
  size_t pending = std::numeric_limits<size_t>::max();
  std::optional<absl::Duration> status_written;  // monotonic
  std::string denial;       // what the cluster said of a DELETE that it refused
  std::string failure;      // why the last round of deletions ended early
  std::string reported;     // what the operator said last of why it cannot finish
  size_t accepted = 0;      // DELETEs so far
  size_t most_pending = 0;  // at one time
  int looks = 0;            // since something happened
  int releases = 0;         // of rights
  int unknowns = 0;         // passes in a row that could not decide

  // More was deleted than there can ever have been: somebody creates it again.
  bool Refills() const;
  // When to look again at what the operator has to finish.
  absl::Duration NextLook() {
    return std::min(absl::Seconds(1) * (1 << std::min(looks++, 4)), absl::Seconds(10));
  }
  // When to try again what failed.
  absl::Duration NextTry() {
    return std::min(absl::Seconds(1) * (1 << std::min(unknowns++, 5)), absl::Seconds(30));
  }
};

struct Cleaner::Pass {
  Memory& memory;
  GuardReading guards;
  olm::Verdict verdict;
  absl::StatusOr<OperandListing> listing = absl::UnavailableError("not listed");
  absl::StatusOr<HoldState> holds = absl::UnavailableError("not listed");
  CleanupReport report;
  bool told = false;

  // Null: there is none.
  const OperandListing* Listing() const {
    if (memory.cursor != nullptr) return &memory.cursor->listing();
    return listing.ok() ? &*listing : nullptr;
  }
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_MEMORY_H_

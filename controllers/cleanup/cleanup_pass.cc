#include "controllers/cleanup/cleanup_pass.h"

#include <optional>

#include "olm/cleanup/record.h"

namespace steward::controllers {

bool CleanupPass::RefusedBefore(absl::Duration confirm_after) const {
  return memory.refused_since.has_value() && guards.began >= *memory.refused_since + confirm_after;
}

bool CleanupPass::CopiesHadTime(absl::Duration within) const {
  return memory.copies_since.has_value() && guards.began >= *memory.copies_since + within;
}

bool CleanupPass::MayArrive(absl::Duration within) const {
  const std::optional<absl::Duration>& last = memory.unanswered;
  return last.has_value() && guards.began < *last + within &&
         olm::MayLeaveRecorded(guards.inputs, verdict);
}

void CleanupPass::Remember(absl::Duration now) {
  if (!memory.remembered.has_value()) memory.remembered = olm::RecordOf(guards.inputs);
  if (!memory.copies_since.has_value() && verdict.IsBlockedBy(olm::CleanupReason::kCopiesLeft)) {
    memory.copies_since = guards.began;
  }
  if (!refused()) {
    memory.refused_since.reset();
  } else if (!memory.refused_since.has_value()) {
    // Use the end of the reading, because the reason of the refusal may have arisen during the
    // reading.
    memory.refused_since = now;
  }
}

}  // namespace steward::controllers

#include "controllers/cleanup/cleanup_pass.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "kube/meta/time.h"
#include "olm/cleanup/record.h"

namespace steward::controllers {
namespace {

// The time since `timestamp` by the wall clock, within limits in case that clock was set.
absl::Duration Since(const std::string& timestamp, absl::Time now) {
  const absl::StatusOr<absl::Time> then = kube::ParseRfc3339(timestamp);
  if (!then.ok()) return absl::ZeroDuration();
  return std::clamp(now - *then, absl::ZeroDuration(), absl::Hours(24 * 365));
}

}  // namespace

CleanupMemory& CleanupMemories::Of(const olm::CsvFacts& csv) {
  std::unique_ptr<CleanupMemory>& memory = memories_[csv.key];
  if (memory == nullptr || memory->uid != csv.uid) {
    // This process knows nothing of the cleanup's past, except that it has not ended.
    const absl::Duration since = clock_.Monotonic() - Since(csv.deletion_timestamp, clock_.Now());
    memory = std::make_unique<CleanupMemory>(csv.uid, StallDetector(stall_timeout_, since));
    // The deletions that another process sent are unknown.
    if (csv.record.has_value() || csv.said_waiting) memory->unanswered = clock_.Monotonic();
  }
  return *memory;
}

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

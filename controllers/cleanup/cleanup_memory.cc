#include "controllers/cleanup/cleanup_memory.h"

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "kube/meta/time.h"

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

}  // namespace steward::controllers

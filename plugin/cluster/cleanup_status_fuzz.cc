// Any bytes may be an answer of the virtual API.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "plugin/cluster/cleanup_status.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::plugin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<CleanupStatus> status = DecodeCleanupStatusText(text);
  if (!status.ok()) return 0;
  if (status->phase.empty() || status->pending_count < 0) std::abort();
  for (const CleanupStatus::Blocker& blocker : status->blockers) (void)DescribeBlocker(blocker);
  return 0;
}

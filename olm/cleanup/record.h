// The record of a verdict: what may be deleted for one ClusterServiceVersion, written into an
// annotation of it before the first DELETE (R-000-62, R-000-69).
#ifndef OLM_CLEANUP_RECORD_H_
#define OLM_CLEANUP_RECORD_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

struct CleanupRecord {
  TargetSet targets;
  std::string csv_uid;
  std::string group_uid;

  bool operator==(const CleanupRecord&) const = default;
};

// {"targets":"*","csvUID":"…","operatorGroupUID":"…"} or a sorted list of namespaces as targets.
std::string EncodeRecord(const CleanupRecord& record);
// Exactly what EncodeRecord writes, in any order and spacing; kInvalidArgument for anything else: a
// record that somebody edited is none.
absl::StatusOr<CleanupRecord> DecodeRecord(std::string_view text);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_RECORD_H_

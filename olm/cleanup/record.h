// The record of a verdict: what may be deleted for one ClusterServiceVersion, written into an
// annotation of it before the first DELETE (R-000-62, R-000-69). Values.
#ifndef OLM_CLEANUP_RECORD_H_
#define OLM_CLEANUP_RECORD_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/cleanup/target_set.h"

namespace steward::olm {

// One definition of a record.
struct RecordedDefinition {
  std::string uid;  // of the CustomResourceDefinition, or of the first APIService
  // Of an API that the operator serves by itself; empty for a CustomResourceDefinition.
  std::string kind;
  std::vector<std::string> versions;

  bool is_api() const { return !versions.empty(); }
  bool operator==(const RecordedDefinition&) const = default;
};

struct CleanupRecord {
  TargetSet targets;
  std::string csv_uid;
  std::string group_uid;
  std::map<std::string, RecordedDefinition> definitions;  // by name ("widgets.example.com")

  // What both allow.
  CleanupRecord Intersect(const CleanupRecord& other) const;
  bool operator==(const CleanupRecord&) const = default;
};

// {"targets":"*","csvUID":"…","operatorGroupUID":"…","definitions":{"widgets.example.com":"<uid>"}}
// or a sorted list of namespaces as targets; an API as {"uid":"…","kind":"…","versions":["v1"]}.
std::string EncodeRecord(const CleanupRecord& record);
// Exactly what EncodeRecord writes, in any order and spacing; kInvalidArgument for anything else: a
// record that somebody edited is none.
absl::StatusOr<CleanupRecord> DecodeRecord(std::string_view text);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_RECORD_H_

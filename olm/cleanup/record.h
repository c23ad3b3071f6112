// The record of a verdict: the limits of all deletions for one ClusterServiceVersion, written into
// its annotation before the first DELETE (R-000-62, R-000-69). Values and pure functions.
#ifndef OLM_CLEANUP_RECORD_H_
#define OLM_CLEANUP_RECORD_H_

#include <cstddef>
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
  // `kind` and `versions` are for an API that the operator serves by itself; both are empty for a
  // CustomResourceDefinition.
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

  // Returns a record that allows what both records allow.
  CleanupRecord Intersect(const CleanupRecord& other) const;
  bool operator==(const CleanupRecord&) const = default;
};

// Returns the JSON text
// {"targets":"*","csvUID":"…","operatorGroupUID":"…","definitions":{"widgets.example.com":"<uid>"}}
// with "*" or a sorted list of namespaces as targets; an API is
// {"uid":"…","kind":"…","versions":["v1"]}.
std::string EncodeRecord(const CleanupRecord& record);
// Parses exactly the members that EncodeRecord writes, in any order and spacing. kInvalidArgument
// for anything else, because an edited record does not count.
absl::StatusOr<CleanupRecord> DecodeRecord(std::string_view text);

// The limit of all annotations of one object, in bytes of keys and values. Source: apimachinery,
// pkg/api/validation, TotalAnnotationSizeLimitB.
inline constexpr size_t kMaxAnnotationBytes = 256 << 10;
// The bytes that a record leaves free for the marks, the annotations that Steward writes later
// (kRefusalAnnotation, kRightsReleasedAnnotation): more than their keys and longest values.
inline constexpr size_t kMarkBytes = 4 << 10;

// The bytes that the annotation of `record` takes, key included.
size_t SizeOf(const CleanupRecord& record);
// True if the marks (kMarkBytes) fit in beside other annotations of `others` bytes.
bool HasRoomForMarks(size_t others);
// True if `record` and the marks fit in beside other annotations of `others` bytes.
bool HasRoomFor(const CleanupRecord& record, size_t others);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_RECORD_H_

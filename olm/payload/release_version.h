// Versions of releases. Values and pure functions.
#ifndef OLM_PAYLOAD_RELEASE_VERSION_H_
#define OLM_PAYLOAD_RELEASE_VERSION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

// A version of a release: MAJOR.MINOR.PATCH, then optionally - or + and more text.
struct ReleaseVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string rest;  // "-rc.1+build", "" = nothing

  // kInvalidArgument for text that Semantic Versioning 2.0.0 refuses, and for numbers of more than
  // nine digits.
  static absl::StatusOr<ReleaseVersion> Parse(std::string_view text);
  // Parses as OLM parses spec.version: ignores surrounding spaces, a leading "v" and leading zeros;
  // a missing minor or patch is 0.
  static absl::StatusOr<ReleaseVersion> ParseLeniently(std::string_view text);
  std::string ToString() const;

  bool operator==(const ReleaseVersion&) const = default;
};

enum class UpdateLevel {
  kNone,   // neither comes before the other
  kPatch,  // upwards within a minor version, pre-releases of it included
  kMinor,  // upwards to another minor or major version
  kDowngrade,
};

// Compares by the order of Semantic Versioning, which ignores the part after a +.
UpdateLevel LevelOf(const ReleaseVersion& from, const ReleaseVersion& to);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_RELEASE_VERSION_H_

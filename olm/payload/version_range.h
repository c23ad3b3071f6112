// Ranges of versions, as dependencies of bundles name them. Values.
#ifndef OLM_PAYLOAD_VERSION_RANGE_H_
#define OLM_PAYLOAD_VERSION_RANGE_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/payload/release_version.h"

namespace steward::olm {

// ">=1.2.0 <2.0.0 || 3.x": alternatives between ||, each of conditions that all have to hold. A
// condition is a version behind >, >=, <, <=, !=, !, =, == or nothing; x in the place of its minor
// or patch number stands for all of them. As github.com/blang/semver reads it, which OLM does with.
class VersionRange {
 public:
  // kInvalidArgument names the condition that is none.
  static absl::StatusOr<VersionRange> Parse(std::string_view text);

  bool Contains(const ReleaseVersion& version) const;

 private:
  // From `low` on, `low` itself included, up to `high`, which is not; or everything else.
  struct Condition {
    ReleaseVersion low;
    ReleaseVersion high;
    bool has_low = false;
    bool has_high = false;
    bool low_open = false;     // `low` itself is not included
    bool high_closed = false;  // `high` itself is
    bool negated = false;
    bool Holds(const ReleaseVersion& version) const;
  };
  static absl::StatusOr<Condition> ParseCondition(std::string_view text);

  std::vector<std::vector<Condition>> alternatives_;
};

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_VERSION_RANGE_H_

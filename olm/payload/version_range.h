// Ranges of versions, as dependencies of bundles name them. Values.
#ifndef OLM_PAYLOAD_VERSION_RANGE_H_
#define OLM_PAYLOAD_VERSION_RANGE_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/payload/release_version.h"

namespace steward::olm {

// ">=1.2.0 <2.0.0 || 3.x": alternatives separated by ||. An alternative is a list of conditions
// that must all hold. A condition is an operator (>, >=, <, <=, !=, !, =, == or none) and a
// version; x as its minor or patch number stands for all numbers. Parses as github.com/blang/semver
// does, because OLM uses that.
class VersionRange {
 public:
  // kInvalidArgument names the invalid condition.
  static absl::StatusOr<VersionRange> Parse(std::string_view text);

  bool Contains(const ReleaseVersion& version) const;

 private:
  // From `low` (included) up to `high` (not included); if `negated`, everything else.
  struct Condition {
    ReleaseVersion low;
    ReleaseVersion high;
    bool has_low = false;
    bool has_high = false;
    bool low_open = false;     // `low` itself is not included
    bool high_closed = false;  // `high` itself is included
    bool negated = false;
    bool Holds(const ReleaseVersion& version) const;
  };
  static absl::StatusOr<Condition> ParseCondition(std::string_view text);

  std::vector<std::vector<Condition>> alternatives_;
};

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_VERSION_RANGE_H_

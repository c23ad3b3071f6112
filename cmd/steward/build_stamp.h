// The facts about a build's commit. A value and a pure function. Only optimised builds are stamped,
// so that other builds are not repeated for every commit.
#ifndef CMD_STEWARD_BUILD_STAMP_H_
#define CMD_STEWARD_BUILD_STAMP_H_

#include <string>

namespace steward {

// Unknown parts are ""; in builds without git, all of them are.
struct BuildStamp {
  std::string described;    // by `git describe`, as "v0.1.0-12-g0be96ef"; "" also without a tag
  std::string commit;       // the whole hash
  std::string tree_state;   // "clean" or "dirty"
  std::string commit_date;  // RFC 3339, UTC
};

BuildStamp StampOfThisBuild();

}  // namespace steward

#endif  // CMD_STEWARD_BUILD_STAMP_H_

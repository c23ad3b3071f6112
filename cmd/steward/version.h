// The version of this program. Pure functions.
#ifndef CMD_STEWARD_VERSION_H_
#define CMD_STEWARD_VERSION_H_

#include <string>

#include "apiserver/discovery/version_info.h"
#include "cmd/steward/build_stamp.h"

namespace steward {

// The version of this build.
discovery::VersionInfo BuildVersion();

// The version of a build with this stamp: the output of `git describe`; without a tag, the version
// in the source with the commit behind a plus, as in semantic versioning. The build date is the
// commit's, so that two builds of one commit are equal.
discovery::VersionInfo VersionOf(const BuildStamp& stamp);

// The text of `steward --version`: one line, which says so if the commit is unknown.
std::string VersionText(const discovery::VersionInfo& version);

}  // namespace steward

#endif  // CMD_STEWARD_VERSION_H_

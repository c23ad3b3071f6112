// Which Steward this is.
#ifndef CMD_STEWARD_VERSION_H_
#define CMD_STEWARD_VERSION_H_

#include <string>

#include "apiserver/discovery/version_info.h"
#include "cmd/steward/build_stamp.h"

namespace steward {

// This program's.
discovery::VersionInfo BuildVersion();

// The version of a build with this stamp: by its tag, else the version in the source with the
// commit behind a plus, as semantic versioning has it. The build date is the commit's, so that two
// builds of one commit are the same.
discovery::VersionInfo VersionOf(const BuildStamp& stamp);

// For `steward --version`: one line, which says so where the commit is not known.
std::string VersionText(const discovery::VersionInfo& version);

}  // namespace steward

#endif  // CMD_STEWARD_VERSION_H_

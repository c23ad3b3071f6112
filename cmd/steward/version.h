// Which Steward this is.
#ifndef CMD_STEWARD_VERSION_H_
#define CMD_STEWARD_VERSION_H_

#include "apiserver/discovery/version_info.h"

namespace steward {

discovery::VersionInfo BuildVersion();

}  // namespace steward

#endif  // CMD_STEWARD_VERSION_H_

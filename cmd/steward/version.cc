#include "cmd/steward/version.h"

namespace steward {

discovery::VersionInfo BuildVersion() {
  discovery::VersionInfo version;
  version.major = "0";
  version.minor = "1";
  version.git_version = "v0.1.0";
#ifdef __clang__
  version.compiler = "clang";
#else
  version.compiler = "gcc";
#endif
  version.platform = "linux/amd64";
  return version;
}

}  // namespace steward

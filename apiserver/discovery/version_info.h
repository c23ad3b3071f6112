// The content of /version. Values and pure functions.
#ifndef APISERVER_DISCOVERY_VERSION_INFO_H_
#define APISERVER_DISCOVERY_VERSION_INFO_H_

#include <string>

namespace steward::discovery {

// The fields of Kubernetes' version.Info that have a meaning for a C++ program.
struct VersionInfo {
  std::string major;
  std::string minor;
  std::string git_version;  // "v0.1.0"
  std::string git_commit;
  std::string git_tree_state;  // "clean" or "dirty"
  std::string build_date;      // RFC 3339, UTC
  std::string compiler;
  std::string platform;  // "linux/amd64"
};

// The JSON on one line. Clients written for Kubernetes expect a goVersion; it is empty.
std::string VersionJson(const VersionInfo& version);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_VERSION_INFO_H_

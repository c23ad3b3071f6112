#include "cmd/steward/version.h"

#include "base/text/str_cat.h"

namespace steward {
namespace {

constexpr char kMajor[] = "0";
constexpr char kMinor[] = "1";
constexpr char kVersion[] = "v0.1.0";
constexpr size_t kShortHash = 12;

std::string GitVersion(const BuildStamp& stamp) {
  if (!stamp.described.empty()) return stamp.described;
  if (stamp.commit.empty()) return kVersion;
  return StrCat(kVersion, "+g", stamp.commit.substr(0, kShortHash),
                stamp.tree_state == "dirty" ? "-dirty" : "");
}

#if defined(__aarch64__)
constexpr char kPlatform[] = "linux/arm64";
#else
constexpr char kPlatform[] = "linux/amd64";
#endif

}  // namespace

discovery::VersionInfo VersionOf(const BuildStamp& stamp) {
  discovery::VersionInfo version;
  version.major = kMajor;
  version.minor = kMinor;
  version.git_version = GitVersion(stamp);
  version.git_commit = stamp.commit;
  version.git_tree_state = stamp.tree_state;
  version.build_date = stamp.commit_date;
  version.compiler = "clang";
  version.platform = kPlatform;
  return version;
}

discovery::VersionInfo BuildVersion() { return VersionOf(StampOfThisBuild()); }

std::string VersionText(const discovery::VersionInfo& version) {
  if (version.git_commit.empty()) {
    return StrCat("steward ", version.git_version,
                  ", built without git: of which commit is not known\n");
  }
  return StrCat("steward ", version.git_version, ", commit ", version.git_commit, " (",
                version.git_tree_state, ") of ", version.build_date, "\n");
}

}  // namespace steward

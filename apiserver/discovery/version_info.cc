#include "apiserver/discovery/version_info.h"

#include <boost/json/object.hpp>

#include "base/json/json_text.h"

namespace steward::discovery {

std::string VersionJson(const VersionInfo& version) {
  return Serialize(boost::json::object{
      {"major", version.major},
      {"minor", version.minor},
      {"gitVersion", version.git_version},
      {"gitCommit", version.git_commit},
      {"gitTreeState", version.git_tree_state},
      {"buildDate", version.build_date},
      {"goVersion", ""},
      {"compiler", version.compiler},
      {"platform", version.platform},
  });
}

}  // namespace steward::discovery

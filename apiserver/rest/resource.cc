#include "apiserver/rest/resource.h"

namespace steward::rest {

std::vector<std::string> Resource::Verbs() const {
  std::vector<std::string> verbs;
  if (get != nullptr) verbs.emplace_back("get");
  if (list != nullptr) verbs.emplace_back("list");
  return verbs;
}

}  // namespace steward::rest

#include "apiserver/rest/resource/resource.h"

namespace steward::rest {

Task<bool> Cursor::More() { co_return false; }

std::vector<std::string> Subresource::Verbs() const {
  std::vector<std::string> verbs;
  if (get_blob != nullptr || get_page != nullptr || get_object != nullptr)
    verbs.emplace_back("get");
  if (patch != nullptr) verbs.emplace_back("patch");
  if (update != nullptr) verbs.emplace_back("update");
  return verbs;
}

std::vector<std::string> Resource::Verbs() const {
  std::vector<std::string> verbs;
  if (Creates()) verbs.emplace_back("create");
  if (del != nullptr) verbs.emplace_back("delete");
  if (get != nullptr) verbs.emplace_back("get");
  if (list != nullptr) verbs.emplace_back("list");
  if (patch != nullptr) verbs.emplace_back("patch");
  if (update != nullptr) verbs.emplace_back("update");
  if (watch != nullptr) verbs.emplace_back("watch");
  return verbs;
}

}  // namespace steward::rest

#include "kube/meta/access_review.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace steward::kube {
namespace json = boost::json;
namespace {

void SetUnlessEmpty(json::object& object, const char* key, std::string_view value) {
  if (!value.empty()) object[key] = value;
}

json::array Strings(const std::vector<std::string>& strings) {
  return json::array(strings.begin(), strings.end());
}

}  // namespace

json::object ResourceAttributes(const ResourceAccess& access) {
  json::object attributes;
  SetUnlessEmpty(attributes, "namespace", access.ns);
  SetUnlessEmpty(attributes, "verb", access.verb);
  SetUnlessEmpty(attributes, "group", access.group);
  SetUnlessEmpty(attributes, "version", access.version);
  SetUnlessEmpty(attributes, "resource", access.resource);
  SetUnlessEmpty(attributes, "subresource", access.subresource);
  SetUnlessEmpty(attributes, "name", access.name);
  return attributes;
}

void SetReviewedUser(const UserInfo& user, json::object& spec) {
  spec["user"] = user.name;
  SetUnlessEmpty(spec, "uid", user.uid);
  if (!user.groups.empty()) spec["groups"] = Strings(user.groups);
  if (user.extra.empty()) return;
  json::object members;
  for (const auto& [key, values] : user.extra) members[key] = Strings(values);
  spec["extra"] = std::move(members);
}

}  // namespace steward::kube

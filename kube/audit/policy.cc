#include "kube/audit/policy.h"

#include <algorithm>

#include "kube/meta/user_info.h"

namespace steward::audit {
namespace {

using Texts = std::vector<std::string>;

bool Has(const Texts& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool PathFits(std::string_view path, std::string_view pattern) {
  if (pattern == "*" || pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  return path.starts_with(pattern.substr(0, pattern.find_last_not_of('*') + 1));
}

// Matches patterns such as "pods", "pods/log", "*", "pods/*" and "*/scale".
bool ResourceFits(const ObjectReference& object, std::string_view pattern) {
  if (pattern == "*") return true;
  const size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  if (slash == std::string_view::npos) {
    return object.subresource.empty() && object.resource == resource;
  }
  const std::string_view subresource = pattern.substr(slash + 1);
  if (resource == "*") return !object.subresource.empty() && object.subresource == subresource;
  if (object.resource != resource) return false;
  return subresource == "*" || (!object.subresource.empty() && object.subresource == subresource);
}

}  // namespace

bool Policy::Resources::Fits(const ObjectReference& object) const {
  if (group != "*" && group != object.group) return false;
  if (resources.empty()) return true;
  if (!names.empty() && !Has(names, object.name)) return false;
  return std::any_of(resources.begin(), resources.end(), [&object](const std::string& pattern) {
    return ResourceFits(object, pattern);
  });
}

bool Policy::Rule::FitsObject(const ObjectReference& object) const {
  if (!namespaces.empty() && !Has(namespaces, object.ns)) return false;
  return resources.empty() ||
         std::any_of(resources.begin(), resources.end(),
                     [&object](const Resources& some) { return some.Fits(object); });
}

bool Policy::Rule::Fits(const Attributes& attributes) const {
  const kube::UserInfo* user = attributes.user;
  if (!users.empty() && (user == nullptr || !Has(users, user->name))) return false;
  if (!groups.empty() &&
      (user == nullptr || std::none_of(user->groups.begin(), user->groups.end(),
                                       [this](const std::string& g) { return Has(groups, g); }))) {
    return false;
  }
  if (!verbs.empty() && !Has(verbs, attributes.verb)) return false;
  if (!namespaces.empty() || !resources.empty()) {
    return attributes.object != nullptr && FitsObject(*attributes.object);
  }
  if (paths.empty()) return true;
  return attributes.object == nullptr &&
         std::any_of(paths.begin(), paths.end(), [&attributes](const std::string& pattern) {
           return PathFits(attributes.path, pattern);
         });
}

PolicyDecision Policy::Decide(const Attributes& attributes) const {
  const auto rule = std::find_if(rules_.begin(), rules_.end(),
                                 [&attributes](const Rule& each) { return each.Fits(attributes); });
  return rule != rules_.end() ? rule->decision : PolicyDecision();
}

}  // namespace steward::audit

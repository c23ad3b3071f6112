#include "apiserver/filters/authorization/subject_access_review.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest/digest.h"
#include "base/text/str_cat.h"
#include "kube/meta/access_review.h"
#include "kube/meta/selector.h"

namespace steward::filters {
namespace json = boost::json;
namespace {

// A selector only narrows the question, but its JSON is many times as long as its text.
constexpr size_t kMaxSelector = 4 << 10;

// Null when there is no selector, or one too long to be included.
const std::string* Selector(const http::Request& request, const char* parameter) {
  const std::string* text = request.Query(parameter);
  return text != nullptr && text->size() <= kMaxSelector ? text : nullptr;
}

// True for the verbs whose reviews have the requirements of selectors.
bool MaySelect(std::string_view verb) {
  return verb == "list" || verb == "watch" || verb == "deletecollection";
}

json::array Strings(const std::vector<std::string>& strings) {
  return json::array(strings.begin(), strings.end());
}

json::object Requirement(const std::string& key, const char* op,
                         const std::vector<std::string>& values) {
  json::object requirement;
  requirement["key"] = key;
  requirement["operator"] = op;
  if (!values.empty()) requirement["values"] = Strings(values);
  return requirement;
}

// Null for operators that the review does not have.
const char* OperatorName(kube::LabelSelector::Operator op) {
  using Operator = kube::LabelSelector::Operator;
  switch (op) {
    case Operator::kIn:
      return "In";
    case Operator::kNotIn:
      return "NotIn";
    case Operator::kExists:
      return "Exists";
    case Operator::kDoesNotExist:
      return "DoesNotExist";
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      return nullptr;
  }
  return nullptr;
}

json::array LabelRequirements(const http::Request& request) {
  json::array requirements;
  const std::string* text = Selector(request, "labelSelector");
  if (text == nullptr) return requirements;
  const auto selector = kube::LabelSelector::Parse(*text);
  if (!selector.ok()) return requirements;
  for (const auto& requirement : selector->requirements()) {
    const char* op = OperatorName(requirement.op);
    if (op != nullptr) {
      requirements.push_back(Requirement(requirement.key, op, requirement.values));
    }
  }
  return requirements;
}

json::array FieldRequirements(const http::Request& request) {
  json::array requirements;
  const std::string* text = Selector(request, "fieldSelector");
  if (text == nullptr) return requirements;
  const auto selector = kube::FieldSelector::Parse(*text);
  if (!selector.ok()) return requirements;
  for (const auto& term : selector->terms()) {
    requirements.push_back(Requirement(term.path, term.negated ? "NotIn" : "In", {term.value}));
  }
  return requirements;
}

void SetRequirements(json::object& attributes, const char* key, json::array requirements) {
  if (requirements.empty()) return;
  json::object selector;
  selector["requirements"] = std::move(requirements);
  attributes[key] = std::move(selector);
}

json::object ResourceAttributes(const http::Request& request) {
  const http::RequestInfo& info = request.info;
  json::object attributes = kube::ResourceAttributes({.verb = info.verb,
                                                      .group = info.group,
                                                      .version = info.version,
                                                      .resource = info.resource,
                                                      .subresource = info.subresource,
                                                      .ns = info.ns,
                                                      .name = info.name});
  if (MaySelect(info.verb)) {
    SetRequirements(attributes, "fieldSelector", FieldRequirements(request));
    SetRequirements(attributes, "labelSelector", LabelRequirements(request));
  }
  return attributes;
}

// Appends `part` behind its length, so that no other parts give the same text.
void AppendPart(std::string_view part, std::string& key) {
  StrAppend(&key, part.size(), ":", part);
}

void AppendParts(const std::vector<std::string>& parts, std::string& key) {
  StrAppend(&key, parts.size(), ";");
  for (const std::string& part : parts) AppendPart(part, key);
}

void AppendSelector(const http::Request& request, const char* parameter, std::string& key) {
  if (const std::string* text = Selector(request, parameter)) AppendPart(*text, key);
  key += ';';
}

}  // namespace

json::object SubjectAccessReviewSpec(const http::Request& request) {
  json::object spec;
  if (request.info.is_resource) {
    spec["resourceAttributes"] = ResourceAttributes(request);
  } else {
    json::object attributes;
    attributes["path"] = request.path;
    attributes["verb"] = request.info.verb;
    spec["nonResourceAttributes"] = std::move(attributes);
  }
  kube::SetReviewedUser(request.user, spec);
  return spec;
}

std::string SubjectAccessReviewKey(const http::Request& request) {
  const http::RequestInfo& info = request.info;
  std::string key;
  key.reserve(512);
  if (info.is_resource) {
    for (const std::string* part : {&info.verb, &info.group, &info.version, &info.resource,
                                    &info.subresource, &info.ns, &info.name}) {
      AppendPart(*part, key);
    }
    if (MaySelect(info.verb)) {
      AppendSelector(request, "fieldSelector", key);
      AppendSelector(request, "labelSelector", key);
    }
    key += 'r';
  } else {
    AppendPart(request.path, key);
    AppendPart(info.verb, key);
    key += 'n';
  }
  AppendPart(request.user.name, key);
  AppendPart(request.user.uid, key);
  AppendParts(request.user.groups, key);
  for (const auto& [name, values] : request.user.extra) {
    AppendPart(name, key);
    AppendParts(values, key);
  }
  return Sha256(key);
}

}  // namespace steward::filters

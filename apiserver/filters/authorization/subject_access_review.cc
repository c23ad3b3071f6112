#include "apiserver/filters/authorization/subject_access_review.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  if (info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection") {
    SetRequirements(attributes, "fieldSelector", FieldRequirements(request));
    SetRequirements(attributes, "labelSelector", LabelRequirements(request));
  }
  return attributes;
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

}  // namespace steward::filters

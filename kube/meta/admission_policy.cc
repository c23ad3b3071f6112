#include "kube/meta/admission_policy.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_access.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

const json::object kEmpty;

const json::object& In(const json::object& parent, std::string_view key) {
  const json::object* member = ObjectAt(parent, key);
  return member == nullptr ? kEmpty : *member;
}

bool IsEmpty(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->is_object()) return value->get_object().empty();
  return value->is_array() && value->get_array().empty();
}

bool IsBeingDeleted(const json::object& object) {
  return In(object, "metadata").contains("deletionTimestamp");
}

}  // namespace

std::string_view WhyPolicyIsWeak(const json::object& policy) {
  const json::object& spec = In(policy, "spec");
  const std::string_view failure = StringAt(spec, "failurePolicy");
  if (IsBeingDeleted(policy)) return "is being deleted";
  if (!failure.empty() && failure != "Fail") return "does not fail closed";
  if (IsEmpty(spec.if_contains("validations"))) return "validates nothing";
  return "";
}

bool TakesParameters(const json::object& policy) {
  return !IsEmpty(In(policy, "spec").if_contains("paramKind"));
}

bool DeniesEverywhere(const json::object& binding, std::string_view policy, bool parameters) {
  const json::object& spec = In(binding, "spec");
  const json::array* actions = ArrayAt(spec, "validationActions");
  const auto denies = [](const json::value& action) {
    return action.is_string() && View(action.get_string()) == "Deny";
  };
  return StringAt(spec, "policyName") == policy && actions != nullptr &&
         std::any_of(actions->begin(), actions->end(), denies) &&
         (parameters || IsEmpty(spec.if_contains("paramRef"))) &&
         IsEmpty(spec.if_contains("matchResources")) && !IsBeingDeleted(binding);
}

}  // namespace steward::kube

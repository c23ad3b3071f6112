// Label selectors, except for their query form.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <tuple>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_requirement.h"
#include "kube/meta/quote.h"
#include "kube/meta/selector.h"

namespace steward::kube {
namespace {

namespace json = boost::json;
using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

// Null stands for an absent field or an empty string, as in Go.
absl::StatusOr<std::string> StringOrNull(const json::value& value, std::string_view where) {
  if (value.is_null()) return std::string();
  const json::string* text = value.if_string();
  if (text == nullptr)
    return absl::InvalidArgumentError(StrCat("label selector: ", where, " must be a string"));
  return std::string(text->data(), text->size());
}

absl::StatusOr<Operator> OperatorFromName(std::string_view name) {
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return absl::InvalidArgumentError(StrCat(Quote(name), " is not a valid label selector operator"));
}

absl::StatusOr<Requirement> FromExpression(const json::value& expression) {
  std::string key, op;
  std::vector<std::string> values;
  const json::object* fields = expression.if_object();
  if (fields == nullptr) {
    return absl::InvalidArgumentError("label selector: matchExpressions[] must be an object");
  }
  if (const json::value* field = fields->if_contains("key")) {
    ASSIGN_OR_RETURN(key, StringOrNull(*field, "matchExpressions[].key"));
  }
  if (const json::value* field = fields->if_contains("operator")) {
    ASSIGN_OR_RETURN(op, StringOrNull(*field, "matchExpressions[].operator"));
  }
  if (const json::value* field = fields->if_contains("values");
      field != nullptr && !field->is_null()) {
    if (!field->is_array()) {
      return absl::InvalidArgumentError(
          "label selector: matchExpressions[].values must be an array");
    }
    for (const json::value& element : field->get_array()) {
      ASSIGN_OR_RETURN(std::string value, StringOrNull(element, "matchExpressions[].values[]"));
      values.push_back(std::move(value));
    }
  }
  ASSIGN_OR_RETURN(const Operator parsed, OperatorFromName(op));
  return MakeLabelRequirement(std::move(key), parsed, std::move(values));
}

bool Matches(const Requirement& requirement, const LabelMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), label->second);
  };
  switch (requirement.op) {
    case Operator::kIn:
      return exists && listed();
    case Operator::kNotIn:
      return !exists || !listed();
    case Operator::kExists:
      return exists;
    case Operator::kDoesNotExist:
      return !exists;
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      if (!exists) return false;
      const std::optional<int64_t> value = ParseLabelInteger(label->second);
      const std::optional<int64_t> limit = ParseLabelInteger(requirement.values[0]);
      if (!value || !limit) return false;
      return requirement.op == Operator::kGreaterThan ? *value > *limit : *value < *limit;
    }
  }
  return false;
}

void AppendQuery(const Requirement& requirement, std::string& out) {
  const bool one = requirement.values.size() == 1;
  switch (requirement.op) {
    case Operator::kExists:
      out += requirement.key;
      return;
    case Operator::kDoesNotExist:
      out += "!" + requirement.key;
      return;
    case Operator::kGreaterThan:
      out += requirement.key + ">" + requirement.values[0];
      return;
    case Operator::kLessThan:
      out += requirement.key + "<" + requirement.values[0];
      return;
    case Operator::kIn:
      out += requirement.key + (one ? "=" : " in (");
      break;
    case Operator::kNotIn:
      out += requirement.key + (one ? "!=" : " notin (");
      break;
  }
  for (size_t i = 0; i < requirement.values.size(); ++i) {
    if (i > 0) out += ',';
    out += requirement.values[i];
  }
  if (!one) out += ')';
}

}  // namespace

LabelSelector::LabelSelector(std::vector<Requirement> requirements)
    : requirements_(std::move(requirements)) {
  std::sort(requirements_.begin(), requirements_.end(),
            [](const Requirement& a, const Requirement& b) {
              return std::tie(a.key, a.op, a.values) < std::tie(b.key, b.op, b.values);
            });
}

absl::StatusOr<LabelSelector> LabelSelector::FromJson(const json::value& selector) {
  std::vector<Requirement> requirements;
  const json::object* fields = selector.if_object();
  if (fields == nullptr) return absl::InvalidArgumentError("label selector must be an object");
  if (const json::value* labels = fields->if_contains("matchLabels");
      labels != nullptr && !labels->is_null()) {
    if (!labels->is_object())
      return absl::InvalidArgumentError("label selector: matchLabels must be an object");
    for (const auto& [key, value] : labels->get_object()) {
      ASSIGN_OR_RETURN(std::string text, StringOrNull(value, "matchLabels[]"));
      ASSIGN_OR_RETURN(Requirement requirement,
                       MakeLabelRequirement(std::string(key), Operator::kIn, {text}));
      requirements.push_back(std::move(requirement));
    }
  }
  if (const json::value* list = fields->if_contains("matchExpressions");
      list != nullptr && !list->is_null()) {
    if (!list->is_array())
      return absl::InvalidArgumentError("label selector: matchExpressions must be an array");
    for (const json::value& expression : list->get_array()) {
      ASSIGN_OR_RETURN(Requirement requirement, FromExpression(expression));
      requirements.push_back(std::move(requirement));
    }
  }
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::Matches(const LabelMap& labels) const {
  for (const Requirement& requirement : requirements_) {
    if (!kube::Matches(requirement, labels)) return false;
  }
  return true;
}

std::string LabelSelector::ToString() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    AppendQuery(requirement, out);
  }
  return out;
}

}  // namespace steward::kube

#include "kube/meta/label_requirement.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/quote.h"

namespace steward::kube {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

std::string Problem(std::string_view field, std::string_view bad_value, std::string_view what) {
  return StrCat(field, ": Invalid value: ", bad_value, ": ", what);
}

absl::Status Joined(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return absl::InvalidArgumentError(problems[0]);
  std::string all;
  for (const std::string& problem : problems) StrAppend(&all, all.empty() ? "[" : ", ", problem);
  return absl::InvalidArgumentError(all + "]");
}

std::string JsonList(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::string out;
  for (const std::string& value : values) {
    out += out.empty() ? '[' : ',';
    AppendHtmlSafeJsonString(value, out);
  }
  return out + "]";
}

}  // namespace

std::optional<int64_t> ParseLabelInteger(std::string_view s) {
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return std::nullopt;
  }
  int64_t n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return n;
}

absl::StatusOr<Requirement> MakeLabelRequirement(std::string key, Operator op,
                                                 std::vector<std::string> values) {
  std::vector<std::string> problems;
  if (const std::string what = LabelKeyProblem(key); !what.empty()) {
    problems.push_back(Problem("key", Quote(key), what));
  }
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (values.empty()) {
        problems.push_back(Problem("values", JsonList(values),
                                   "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (!values.empty()) {
        problems.push_back(Problem("values", JsonList(values),
                                   "values set must be empty for exists and does not exist"));
      }
      break;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      for (size_t i = 0; i < values.size(); ++i) {
        if (ParseLabelInteger(values[i])) continue;
        problems.push_back(Problem(StrCat("values[", i, "]"), Quote(values[i]),
                                   "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (const std::string what = LabelValueProblem(values[i]); !what.empty()) {
      problems.push_back(Problem(StrCat("values[", i, "][", key, "]"), Quote(values[i]), what));
    }
  }
  if (!problems.empty()) return Joined(problems);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return Requirement{std::move(key), op, std::move(values)};
}

}  // namespace steward::kube

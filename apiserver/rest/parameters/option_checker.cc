#include "apiserver/rest/parameters/option_checker.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::rest {

void OptionChecker::Add(std::string_view reason, std::string message, std::string_view field) {
  causes_.push_back({std::string(reason), std::move(message), std::string(field)});
}

void OptionChecker::Require(std::string_view field, std::string_view why) {
  Add("FieldValueRequired", StrCat("Required value: ", why), field);
}

void OptionChecker::Forbid(std::string_view field, std::string_view why) {
  Add("FieldValueForbidden", StrCat("Forbidden: ", why), field);
}

void OptionChecker::TooLong(std::string_view field, size_t max_bytes) {
  Add("FieldValueTooLong", StrCat("Too long: may not be more than ", max_bytes, " bytes"), field);
}

void OptionChecker::Invalid(std::string_view field, std::string_view value, std::string_view why) {
  Add("FieldValueInvalid", StrCat("Invalid value: ", value, ": ", why), field);
}

void OptionChecker::Unsupported(std::string_view field, std::string_view value,
                                const std::vector<std::string_view>& supported) {
  std::vector<std::string> quoted;
  for (std::string_view s : supported) quoted.push_back(kube::Quote(s));
  Add("FieldValueNotSupported",
      StrCat("Unsupported value: ", value, ": supported values: ", absl::StrJoin(quoted, ", ")),
      field);
}

absl::Status OptionChecker::Result() && {
  if (causes_.empty()) return absl::OkStatus();
  return kube::ToStatus(kube::Invalid({"meta.k8s.io", "", kind_}, "", std::move(causes_)));
}

}  // namespace steward::rest

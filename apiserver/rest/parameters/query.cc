#include "apiserver/rest/parameters/query.h"

#include <charconv>

#include "absl/strings/match.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"

namespace steward::rest {

std::string QueryString(const http::Request& request, std::string_view key) {
  const std::string* value = request.Query(key);
  return value == nullptr ? "" : *value;
}

std::vector<std::string> QueryStrings(const http::Request& request, std::string_view key) {
  std::vector<std::string> values;
  for (const auto& [name, value] : request.query) {
    if (name == key) values.push_back(value);
  }
  return values;
}

std::optional<bool> QueryBool(const http::Request& request, std::string_view key) {
  const std::string* value = request.Query(key);
  if (value == nullptr) return std::nullopt;
  return *value != "0" && !absl::EqualsIgnoreCase(*value, "false");
}

absl::StatusOr<std::optional<int64_t>> QueryInt64(const http::Request& request,
                                                  std::string_view key) {
  const std::string* text = request.Query(key);
  if (text == nullptr) return std::nullopt;
  std::string_view digits = *text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (whole && error == std::errc()) return value;
  const bool too_large = whole && error == std::errc::result_out_of_range;
  return kube::ToStatus(
      kube::BadRequest(StrCat("strconv.ParseInt: parsing ", kube::Quote(*text), ": ",
                              too_large ? "value out of range" : "invalid syntax")));
}

}  // namespace steward::rest

#include "apiserver/filters/authentication/token_expiry.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::filters {
namespace json = boost::json;

std::optional<absl::Time> TokenExpiry(std::string_view token) {
  // The parts are header, claims and signature, each in base64url.
  const std::vector<absl::string_view> parts = absl::StrSplit(ToAbsl(token), '.');
  std::string text;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &text)) return std::nullopt;
  const absl::StatusOr<json::value> claims = ParseJson(text);
  const json::object* object = claims.ok() ? claims->if_object() : nullptr;
  const json::value* exp = object == nullptr ? nullptr : object->if_contains("exp");
  if (exp == nullptr || !exp->is_number()) return std::nullopt;
  boost::system::error_code error;
  const int64_t seconds = exp->to_number<int64_t>(error);
  if (error) return std::nullopt;
  return absl::FromUnixSeconds(seconds);
}

}  // namespace steward::filters

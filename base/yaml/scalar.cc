#include "base/yaml/scalar.h"

#include <algorithm>
#include <boost/json/string.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/escaping.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::yaml {
namespace {

namespace json = boost::json;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

json::value String(std::string_view text) { return json::string(text.data(), text.size()); }

bool OneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool IsNull(std::string_view text) { return OneOf(text, {"", "~", "null", "Null", "NULL"}); }

std::optional<bool> Bool(std::string_view text) {
  if (OneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return true;
  if (OneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return false;
  return std::nullopt;
}

bool IsNotFinite(std::string_view text) {
  if (OneOf(text, {".nan", ".NaN", ".NAN"})) return true;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return OneOf(text, {".inf", ".Inf", ".INF"});
}

// Digits with Go's prefixes: 0x, 0o, 0b, and 0 for octal.
std::optional<json::value> Integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(text[1])));
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    text.remove_prefix(letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
  }
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (negative) {
    if (size > kLimit) return std::nullopt;
    return json::value(static_cast<int64_t>(~size + 1));
  }
  if (size < kLimit) return json::value(static_cast<int64_t>(size));
  if (has_sign) return std::nullopt;
  return json::value(size);
}

// Matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?.
bool HasFloatForm(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i - start;
  };
  const auto sign = [&] { i += i < text.size() && (text[i] == '+' || text[i] == '-'); };
  sign();
  const size_t whole = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    sign();
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<double> Float(std::string_view text) {
  if (!HasFloatForm(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double d = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  if (error == std::errc()) return d;
  // Out of range. A number that is too small becomes 0; a number that is too large counts as no
  // number.
  const std::string copy(text);
  d = std::strtod(copy.c_str(), nullptr);
  if (std::isinf(d)) return std::nullopt;
  return d;
}

bool IsTimestamp(std::string_view text) {
  size_t i = 0;
  const auto digits = [&](size_t least, size_t most) {
    const size_t start = i;
    while (i < text.size() && i - start < most && IsDigit(text[i])) ++i;
    return i - start >= least;
  };
  const auto dash = [&] { return i < text.size() && text[i++] == '-'; };
  if (!digits(4, 4) || !dash() || !digits(1, 2) || !dash() || !digits(1, 2)) return false;
  return i == text.size() || OneOf(text.substr(i, 1), {"T", "t", " ", "\t"});
}

bool AllOf(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// True when some reader could take `plain` for a number: separators, sexagesimals and prefixes
// included.
bool CouldBeNumber(std::string_view plain) {
  if (plain.empty() ||
      !(IsDigit(plain[0]) || plain[0] == '.' || plain[0] == '+' || plain[0] == '-'))
    return false;
  std::string without_separators(plain);
  std::erase_if(without_separators, [](char c) { return c == '_' || c == ','; });
  std::string_view text = without_separators;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.')) return false;
  constexpr std::string_view kDigits = "0123456789";
  if (text.size() > 2 && text[0] == '0' &&
      OneOf(text.substr(1, 1), {"x", "X", "o", "O", "b", "B"}) &&
      AllOf(text.substr(2), "0123456789abcdefABCDEF")) {
    return true;
  }
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos && e > 0) {
    std::string_view exponent = text.substr(e + 1);
    if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) exponent.remove_prefix(1);
    if (exponent.empty() || !AllOf(exponent, kDigits)) return false;
    text = text.substr(0, e);
  }
  const size_t dot = text.find('.');
  const std::string_view fraction = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  return AllOf(text.substr(0, dot), "0123456789:") && AllOf(fraction, kDigits);
}

absl::Status NotOfType(std::string_view text, std::string_view type) {
  return absl::InvalidArgumentError(StrCat("cannot decode \"", text, "\" as !!", type));
}

absl::StatusOr<json::value> Binary(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(ToAbsl(text), &bytes)) return NotOfType(text, "binary");
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = DecodeUtf8(bytes, i).length;
    if (length == 0)
      return absl::InvalidArgumentError("!!binary data that is not UTF-8 has no JSON form");
    i += length;
  }
  return String(bytes);
}

}  // namespace

absl::StatusOr<json::value> ResolvePlain(std::string_view text) {
  if (IsNull(text)) return json::value(nullptr);
  if (const std::optional<bool> value = Bool(text)) return json::value(*value);
  if (IsNotFinite(text)) return absl::InvalidArgumentError(StrCat(text, " has no JSON form"));
  const bool dot = text.starts_with('.');
  if (!dot && !IsDigit(text[0]) && text[0] != '+' && text[0] != '-') return String(text);
  std::string digits(text);
  if (!dot) {
    std::erase(digits, '_');
    if (std::optional<json::value> integer = Integer(digits)) return *std::move(integer);
  }
  if (const std::optional<double> number = Float(digits)) return json::value(*number);
  return String(text);
}

absl::StatusOr<json::value> ResolveTagged(std::string_view tag, std::string_view text) {
  constexpr std::string_view kStandard = "tag:yaml.org,2002:";
  if (!tag.starts_with(kStandard)) return String(text);
  const std::string_view type = tag.substr(kStandard.size());
  if (type == "binary") return Binary(text);
  if (type == "timestamp")
    return IsTimestamp(text) ? absl::StatusOr<json::value>(String(text)) : NotOfType(text, type);
  if (!OneOf(type, {"null", "bool", "int", "float"})) return String(text);
  ASSIGN_OR_RETURN(json::value value, ResolvePlain(text));
  if (type == "float" && value.is_number()) return json::value(value.to_number<double>());
  const bool fits = (type == "null" && value.is_null()) || (type == "bool" && value.is_bool()) ||
                    (type == "int" && (value.is_int64() || value.is_uint64()));
  if (!fits) return NotOfType(text, type);
  return value;
}

bool CouldBeOtherThanString(std::string_view text) {
  constexpr size_t kLongestWord = 5;  // false, +.inf
  if (text.size() <= kLongestWord) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (OneOf(lower, {"", "~", "null", "y", "n", "yes", "no", "on", "off", "true", "false", ".nan",
                      ".inf", "+.inf", "-.inf", "<<", "="})) {
      return true;
    }
  }
  return CouldBeNumber(text) || IsTimestamp(text);
}

}  // namespace steward::yaml

#include "kube/schema/formats.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/time/civil_time.h"
#include "kube/meta/names.h"

namespace steward::kube {
namespace {

// Without dashes.
constexpr std::string_view kFormats[] = {
    "bsonobjectid", "byte",        "cidr",     "creditcard", "date",     "datetime", "duration",
    "email",        "hexcolor",    "hostname", "ipv4",       "ipv6",     "isbn",     "isbn10",
    "isbn13",       "k8slongname", "mac",      "password",   "rgbcolor", "ssn",      "k8sshortname",
    "uri",          "uuid",        "uuid3",    "uuid4",      "uuid5"};

std::string Normal(std::string_view format) {
  std::string name(format);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

bool Matches(std::string_view text, const re2::RE2& regex) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex);
}

bool IsIp(int family, std::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  return text.find('\0') == std::string_view::npos &&
         inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view length = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (error != std::errc() || end != length.data() + length.size() || bits < 0) return false;
  if (length.size() > 1 && length[0] == '0') return false;
  return (IsIp(AF_INET, address) && bits <= 32) || (IsIp(AF_INET6, address) && bits <= 128);
}

bool IsDate(std::string_view text) {
  static const re2::RE2& form = *new re2::RE2(R"((\d{4})-(\d{2})-(\d{2}))");
  int year = 0, month = 0, day = 0;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), form, &year, &month, &day)) {
    return false;
  }
  const absl::CivilDay civil(year, month, day);
  return civil.month() == month && civil.day() == day;
}

bool IsDateTime(std::string_view text) {
  static const re2::RE2& time =
      *new re2::RE2(R"((?i)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2}))");
  constexpr size_t kDate = 10;
  return text.size() > kDate && IsDate(text.substr(0, kDate)) && Matches(text.substr(kDate), time);
}

}  // namespace

bool IsStringFormat(std::string_view format) {
  return std::find(std::begin(kFormats), std::end(kFormats), Normal(format)) != std::end(kFormats);
}

bool HasFormat(std::string_view text, std::string_view format) {
  static const re2::RE2& duration = *new re2::RE2(
      R"([+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+))"
      R"(|\d+\s*(ns|nanos?|nanoseconds?|us|micros?|microseconds?|ms|millis?|milliseconds?)"
      R"(|s|secs?|seconds?|m|mins?|minutes?|hr?|hours?|d|days?|w|weeks?))");
  static const re2::RE2& email = *new re2::RE2(R"([^@\s<>,;"]+@[^@\s<>,;"]+)");
  static const re2::RE2& hostname = *new re2::RE2(
      R"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\.?)");
  static const re2::RE2& mac = *new re2::RE2(
      R"((?i)([0-9a-f]{2}:){5}[0-9a-f]{2}|([0-9a-f]{2}-){5}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4})"
      R"(|([0-9a-f]{2}:){7}[0-9a-f]{2}|([0-9a-f]{2}-){7}[0-9a-f]{2}|([0-9a-f]{4}\.){3}[0-9a-f]{4})");
  static const re2::RE2& uri =
      *new re2::RE2(R"(/[^\s\x00-\x1f\x7f]*|[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f]+)");
  static const re2::RE2& uuid = *new re2::RE2(
      R"((?i)[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12})");
  const std::string name = Normal(format);
  if (name == "byte") {
    std::string bytes;
    return absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes);
  }
  if (name == "cidr") return IsCidr(text);
  if (name == "date") return IsDate(text);
  if (name == "datetime") return IsDateTime(text);
  if (name == "duration") return Matches(text, duration);
  if (name == "email") return Matches(text, email);
  if (name == "hostname") return text.size() <= 255 && Matches(text, hostname);
  if (name == "ipv4") return IsIp(AF_INET, text);
  if (name == "ipv6") return IsIp(AF_INET6, text);
  if (name == "mac") return Matches(text, mac);
  if (name == "uri") return Matches(text, uri);
  if (name == "k8sshortname") return IsDns1123Label(text);
  if (name == "k8slongname") return IsDns1123Subdomain(text);
  if (name.substr(0, 4) == "uuid") {
    std::string version, variant;
    if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), uuid, &version,
                             &variant)) {
      return false;
    }
    if (name == "uuid") return true;
    return version[0] == name[4] &&
           (name == "uuid3" || std::string_view("89abAB").find(variant) != std::string_view::npos);
  }
  return true;
}

}  // namespace steward::kube

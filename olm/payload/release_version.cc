#include "olm/payload/release_version.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstddef>
#include <system_error>
#include <tuple>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::olm {
namespace {

constexpr size_t kMaxVersion = 256;  // bytes
constexpr size_t kMaxDigits = 9;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNumber(std::string_view text) { return !text.empty() && std::ranges::all_of(text, IsDigit); }

// Takes the part before the separator off `text`; all of it when there is none.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

// Reads a number without leading zeros off the front of `text`.
bool TakeNumber(std::string_view& text, int& number) {
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0 || digits > kMaxDigits || (digits > 1 && text[0] == '0')) return false;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return true;
}

bool TakeDot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

// True for identifiers between dots. The identifiers of a build may have leading zeros.
bool AreIdentifiers(std::string_view text, bool zeros) {
  if (text.empty() || text.ends_with('.')) return false;
  while (!text.empty()) {
    const std::string_view identifier = TakePart(text, '.');
    const bool right = !identifier.empty() && std::ranges::all_of(identifier, [](char c) {
      return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!right) return false;
    if (!zeros && identifier.size() > 1 && identifier[0] == '0' && IsNumber(identifier)) {
      return false;
    }
  }
  return true;
}

bool IsRest(std::string_view text) {
  if (text.empty()) return true;
  const size_t plus = text.find('+');
  if (plus != std::string_view::npos && !AreIdentifiers(text.substr(plus + 1), true)) return false;
  const std::string_view pre_release = text.substr(0, plus);
  return pre_release.empty() ||
         (pre_release[0] == '-' && AreIdentifiers(pre_release.substr(1), false));
}

std::string_view PreReleaseOf(const ReleaseVersion& version) {
  const std::string_view pre_release =
      std::string_view(version.rest).substr(0, version.rest.find('+'));
  return pre_release.empty() ? pre_release : pre_release.substr(1);
}

std::strong_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool numbers = IsNumber(a) && IsNumber(b);
  if (numbers && a.size() != b.size()) return a.size() <=> b.size();
  if (!numbers && IsNumber(a) != IsNumber(b)) return IsNumber(b) <=> IsNumber(a);
  return a.compare(b) <=> 0;
}

std::strong_ordering ComparePreReleases(std::string_view a, std::string_view b) {
  // A release comes after its pre-releases.
  if (a.empty() || b.empty()) return a.empty() <=> b.empty();
  while (!a.empty() && !b.empty()) {
    const std::string_view one = TakePart(a, '.');
    const std::strong_ordering order = CompareIdentifiers(one, TakePart(b, '.'));
    if (order != std::strong_ordering::equal) return order;
  }
  return !a.empty() <=> !b.empty();
}

std::strong_ordering Compare(const ReleaseVersion& a, const ReleaseVersion& b) {
  const std::strong_ordering order =
      std::tie(a.major, a.minor, a.patch) <=> std::tie(b.major, b.minor, b.patch);
  return order != std::strong_ordering::equal
             ? order
             : ComparePreReleases(PreReleaseOf(a), PreReleaseOf(b));
}

}  // namespace

absl::StatusOr<ReleaseVersion> ReleaseVersion::Parse(std::string_view text) {
  ReleaseVersion version;
  std::string_view rest = text.substr(0, kMaxVersion + 1);
  if (text.size() > kMaxVersion || !TakeNumber(rest, version.major) || !TakeDot(rest) ||
      !TakeNumber(rest, version.minor) || !TakeDot(rest) || !TakeNumber(rest, version.patch) ||
      !IsRest(rest)) {
    return absl::InvalidArgumentError(
        StrCat(kube::Quote(text.substr(0, kMaxVersion)), " is no version of a release"));
  }
  version.rest = rest;
  return version;
}

absl::StatusOr<ReleaseVersion> ReleaseVersion::ParseLeniently(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::string_view rest = text;
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
  rest = rest.substr(0, rest.find_last_not_of(kSpace) + 1);
  if (rest.starts_with('v')) rest.remove_prefix(1);
  std::string whole;
  for (int part = 0; part < 3; ++part) {
    // Minor and patch may be missing.
    const bool given = part == 0 || !rest.empty();
    std::string_view number = !given ? "0" : part == 2 ? rest : TakePart(rest, '.');
    while (number.size() > 1 && number[0] == '0' && IsDigit(number[1])) number.remove_prefix(1);
    StrAppend(&whole, part == 0 ? "" : ".", number);
    if (part == 2) rest = {};
  }
  return Parse(whole);
}

std::string ReleaseVersion::ToString() const { return StrCat(major, ".", minor, ".", patch, rest); }

UpdateLevel LevelOf(const ReleaseVersion& from, const ReleaseVersion& to) {
  const std::strong_ordering order = Compare(from, to);
  if (order == std::strong_ordering::equal) return UpdateLevel::kNone;
  if (order == std::strong_ordering::greater) return UpdateLevel::kDowngrade;
  const bool same_minor = from.major == to.major && from.minor == to.minor;
  return same_minor ? UpdateLevel::kPatch : UpdateLevel::kMinor;
}

}  // namespace steward::olm

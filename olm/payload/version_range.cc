#include "olm/payload/version_range.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::olm {
namespace {

constexpr size_t kMaxRange = 1024;  // bytes

constexpr std::array<std::string_view, 9> kOperators = {">=", "<=", "!=", "==", ">",
                                                        "<",  "=",  "!",  ""};

bool IsBefore(const ReleaseVersion& a, const ReleaseVersion& b) {
  return LevelOf(b, a) == UpdateLevel::kDowngrade;
}

bool IsWild(std::string_view part) { return part == "x" || part == "X" || part == "*"; }

}  // namespace

bool VersionRange::Condition::Holds(const ReleaseVersion& version) const {
  const bool above = !has_low || (low_open ? IsBefore(low, version) : !IsBefore(version, low));
  const bool below =
      !has_high || (high_closed ? !IsBefore(high, version) : IsBefore(version, high));
  return (above && below) != negated;
}

absl::StatusOr<VersionRange::Condition> VersionRange::ParseCondition(std::string_view text) {
  const auto* const found =
      std::find_if(kOperators.begin(), kOperators.end(),
                   [text](std::string_view each) { return text.starts_with(each); });
  const std::string_view op = *found;
  const std::string_view number = text.substr(op.size());
  const auto bad = [text] {
    return absl::InvalidArgumentError(StrCat(kube::Quote(text), " is no condition of a version"));
  };
  // The versions that the text means: exactly `low`, or with a wildcard all from `low` up to
  // `high`.
  ReleaseVersion low;
  ReleaseVersion high;
  std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(number.data(), number.size()), '.');
  const bool wild = parts.size() <= 3 && IsWild(parts.back());
  if (wild) {
    const bool minor_too = parts.size() == 2 || (parts.size() == 3 && IsWild(parts[1]));
    if (parts.size() == 1) return bad();
    const std::string base =
        minor_too ? StrCat(parts[0], ".0.0") : StrCat(parts[0], ".", parts[1], ".0");
    ASSIGN_OR_RETURN(low, ReleaseVersion::Parse(base));
    high = low;
    ++(minor_too ? high.major : high.minor);
  } else {
    absl::StatusOr<ReleaseVersion> version = ReleaseVersion::Parse(number);
    if (!version.ok()) return bad();
    low = *version;
    high = *std::move(version);
  }
  Condition condition;
  condition.low = low;
  condition.high = high;
  const bool below = op == "<" || op == "<=";
  const bool above = op == ">" || op == ">=";
  condition.has_low = !below;
  condition.has_high = !above;
  if (op == "<") condition.high = low;
  if (op == "<=") condition.high_closed = !wild;
  if (op == ">") {
    condition.low = high;
    condition.low_open = !wild;
  }
  if (!below && !above) condition.high_closed = !wild;
  condition.negated = op == "!=" || op == "!";
  return condition;
}

absl::StatusOr<VersionRange> VersionRange::Parse(std::string_view text) {
  if (text.size() > kMaxRange) return absl::InvalidArgumentError("the range is too long");
  VersionRange range;
  for (const absl::string_view alternative :
       absl::StrSplit(absl::string_view(text.data(), text.size()), "||")) {
    std::vector<Condition> conditions;
    std::string op;  // a word so far: an operator may be apart from its version
    for (const absl::string_view word :
         absl::StrSplit(alternative, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      op.append(word.data(), word.size());
      if (op.find_first_not_of("<>=!") == std::string::npos) continue;
      ASSIGN_OR_RETURN(Condition condition, ParseCondition(op));
      conditions.push_back(std::move(condition));
      op.clear();
    }
    if (conditions.empty() || !op.empty()) {
      return absl::InvalidArgumentError(StrCat(kube::Quote(text), " is no range of versions"));
    }
    range.alternatives_.push_back(std::move(conditions));
  }
  return range;
}

bool VersionRange::Contains(const ReleaseVersion& version) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const auto& conditions) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Condition& each) { return each.Holds(version); });
  });
}

}  // namespace steward::olm

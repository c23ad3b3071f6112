#include "plugin/terminal/words.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "base/text/str_cat.h"

namespace steward::plugin {

std::string CountText(int64_t count, std::string_view thing) {
  return StrCat(count, " ", thing, count == 1 ? "" : "s");
}

std::string ShellWord(std::string_view text) {
  const bool plain =
      !text.empty() && text.front() != '-' &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return absl::ascii_isalnum(c) || c == '.' || c == ':' || c == '_' || c == '-';
      });
  if (plain) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1024) return CountText(bytes, "byte");
  double size = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    // Prefer 1.0 of the next unit to a rounded "1024.0" of this one.
    if (size < 1023.95) break;
    size /= 1024;
    unit = larger;
  }
  return absl::StrFormat("%.1f %s", size, unit);
}

// Two units if one alone would be coarse (duration.HumanDuration of k8s.io/apimachinery).
std::string AgeText(absl::Duration age) {
  struct Unit {
    int64_t seconds;
    const char* name;
    int64_t exact_below;  // seconds; below it, the next smaller unit is shown, too
    int64_t below;        // seconds; below it, this unit is used
    int64_t smaller;      // the seconds of the next smaller unit
    const char* smaller_name;
  };
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr int64_t kYear = 365 * kDay;
  constexpr int64_t kEver = INT64_MAX;
  static constexpr Unit kUnits[] = {{1, "s", 0, 2 * kMinute, 1, ""},
                                    {kMinute, "m", 10 * kMinute, 3 * kHour, 1, "s"},
                                    {kHour, "h", 8 * kHour, 2 * kDay, kMinute, "m"},
                                    {kDay, "d", 8 * kDay, 2 * kYear, kHour, "h"},
                                    {kYear, "y", 8 * kYear, kEver, kDay, "d"}};
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(age));
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.below) continue;
    const std::string text = StrCat(seconds / unit.seconds, unit.name);
    const int64_t rest = seconds % unit.seconds / unit.smaller;
    if (seconds >= unit.exact_below || rest == 0) return text;
    return StrCat(text, rest, unit.smaller_name);
  }
  return "";
}

std::string ElapsedText(absl::Duration elapsed) {
  const int64_t seconds = absl::ToInt64Seconds(elapsed);
  if (seconds < 3600) return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
  return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace steward::plugin

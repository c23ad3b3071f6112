#include "base/flags/duration.h"

#include "absl/strings/str_cat.h"

namespace steward {

std::string ReadDuration(const std::string& text, absl::Duration& out) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration) || duration == absl::InfiniteDuration() ||
      duration == -absl::InfiniteDuration()) {
    return absl::StrCat("\"", text, "\" is not a duration such as 10s or 1m30s");
  }
  if (duration < absl::ZeroDuration()) return absl::StrCat("\"", text, "\" is negative");
  out = duration;
  return "";
}

std::string DurationText(absl::Duration duration) {
  return duration == absl::ZeroDuration() ? "0s" : absl::FormatDuration(duration);
}

}  // namespace steward

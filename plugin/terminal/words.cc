#include "plugin/terminal/words.h"

#include "absl/strings/str_format.h"
#include "base/text/str_cat.h"

namespace steward::plugin {

std::string CountText(int64_t count, std::string_view thing) {
  return StrCat(count, " ", thing, count == 1 ? "" : "s");
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1024) return CountText(bytes, "byte");
  double size = static_cast<double>(bytes) / 1024;
  const char* unit = "KiB";
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    // What would be shown as 1024.0 is 1.0 of the larger one.
    if (size < 1023.95) break;
    size /= 1024;
    unit = larger;
  }
  return absl::StrFormat("%.1f %s", size, unit);
}

std::string ElapsedText(absl::Duration elapsed) {
  const int64_t seconds = absl::ToInt64Seconds(elapsed);
  if (seconds < 3600) return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
  return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace steward::plugin

#include "plugin/terminal/words.h"

#include "absl/strings/str_format.h"
#include "base/text/str_cat.h"

namespace steward::plugin {

std::string CountText(int64_t count, std::string_view thing) {
  return StrCat(count, " ", thing, count == 1 ? "" : "s");
}

std::string ElapsedText(absl::Duration elapsed) {
  const int64_t seconds = absl::ToInt64Seconds(elapsed);
  if (seconds < 3600) return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
  return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace steward::plugin

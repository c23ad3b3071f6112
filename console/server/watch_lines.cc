#include "console/server/watch_lines.h"

#include <algorithm>

#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward::console {

absl::StatusOr<std::optional<std::string>> WatchLines::Next() {
  while (true) {
    const size_t newline = buffer_.find('\n', std::max(begin_, scanned_));
    const size_t end = newline == std::string::npos ? buffer_.size() : newline;
    if (end - begin_ > max_line_bytes_) {
      return absl::DataLossError(
          StrCat("an event of a watch is longer than ", max_line_bytes_, " bytes"));
    }
    if (newline == std::string::npos) {
      buffer_.erase(0, begin_);
      begin_ = 0;
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    std::string line = buffer_.substr(begin_, newline + 1 - begin_);
    begin_ = scanned_ = newline + 1;
    if (line.find_first_not_of(" \t\r\n") != std::string::npos) return line;
  }
}

}  // namespace steward::console

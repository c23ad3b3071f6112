// The lines of a watch's body, each of which is an event. Not thread-safe.
#ifndef CONSOLE_SERVER_WATCH_LINES_H_
#define CONSOLE_SERVER_WATCH_LINES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace steward::console {

// The caller appends bytes as they come, and takes the lines. Holds at most one unfinished line and
// the bytes appended last, so drain it with Next before appending more.
class WatchLines {
 public:
  // Higher than kube-apiserver's own limits of an object.
  static constexpr size_t kMaxLineBytes = 16 << 20;

  explicit WatchLines(size_t max_line_bytes = kMaxLineBytes) : max_line_bytes_(max_line_bytes) {}

  // The buffer to append to.
  std::string& buffer() { return buffer_; }

  // The next line with its end; nullopt when more bytes are needed. Empty lines are left out.
  // kDataLoss for a line that is too long.
  absl::StatusOr<std::optional<std::string>> Next();

 private:
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t begin_ = 0;    // of the first line not yet taken
  size_t scanned_ = 0;  // no line ends in [begin_, scanned_)
};

}  // namespace steward::console

#endif  // CONSOLE_SERVER_WATCH_LINES_H_

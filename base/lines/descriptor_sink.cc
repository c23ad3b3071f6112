#include "base/lines/descriptor_sink.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace steward {

absl::Status DescriptorSink::WriteText(std::string_view text) {
  while (!text.empty()) {
    pollfd ready{fd_, POLLOUT, 0};
    const int count = poll(&ready, 1, static_cast<int>(patience_.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return absl::ErrnoToStatus(errno, "poll");
    if (count == 0) return absl::DeadlineExceededError("nobody reads");
    // A pipe that is ready takes at least PIPE_BUF bytes, so a write of that size does not block.
    const ssize_t n = write(fd_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "write");
    torn_ = text[static_cast<size_t>(n) - 1] != '\n';
    text.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status DescriptorSink::Write(std::string_view lines) {
  if (torn_) {
    if (const absl::Status ended = WriteText("\n"); !ended.ok()) return ended;
  }
  return WriteText(lines);
}

}  // namespace steward

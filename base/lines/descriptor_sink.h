// Lines into an open descriptor, such as standard output or a pipe. Used by one thread at a time.
#ifndef BASE_LINES_DESCRIPTOR_SINK_H_
#define BASE_LINES_DESCRIPTOR_SINK_H_

#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "base/lines/line_sink.h"

namespace steward {

// The caller owns the descriptor; this class neither closes it nor changes its flags. When its
// reader reads nothing for `patience`, Write returns an error instead of waiting longer.
class DescriptorSink : public LineSink {
 public:
  explicit DescriptorSink(int fd, std::chrono::milliseconds patience = std::chrono::seconds(1))
      : fd_(fd), patience_(patience) {}
  absl::Status Write(std::string_view lines) override;

 private:
  absl::Status WriteText(std::string_view text);

  const int fd_;
  const std::chrono::milliseconds patience_;
  bool torn_ = false;  // the last line lacks its newline
};

}  // namespace steward

#endif  // BASE_LINES_DESCRIPTOR_SINK_H_

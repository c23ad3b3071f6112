// Lines into an open descriptor: standard output, a pipe.
#ifndef BASE_LINES_DESCRIPTOR_SINK_H_
#define BASE_LINES_DESCRIPTOR_SINK_H_

#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "base/lines/line_sink.h"

namespace steward {

// The descriptor stays its owner's, and stays as it is: a reader that reads nothing for `patience`
// is an error, and not waited for any longer.
class DescriptorSink : public LineSink {
 public:
  explicit DescriptorSink(int fd, std::chrono::milliseconds patience = std::chrono::seconds(1))
      : fd_(fd), patience_(patience) {}
  absl::Status Write(std::string_view lines) override;

 private:
  absl::Status WriteText(std::string_view text);

  const int fd_;
  const std::chrono::milliseconds patience_;
  bool torn_ = false;  // the last line has no end
};

}  // namespace steward

#endif  // BASE_LINES_DESCRIPTOR_SINK_H_

// A sink for tests that appends its lines to a string. Used by one thread at a time.
#ifndef BASE_LINES_STRING_SINK_H_
#define BASE_LINES_STRING_SINK_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/lines/line_sink.h"

namespace steward {

class StringSink : public LineSink {
 public:
  // REQUIRES: `text` outlives this object.
  explicit StringSink(std::string& text) : text_(text) {}
  absl::Status Write(std::string_view lines) override {
    text_ += lines;
    return absl::OkStatus();
  }

 private:
  std::string& text_;
};

}  // namespace steward

#endif  // BASE_LINES_STRING_SINK_H_

// A place where lines of text end up.
#ifndef BASE_LINES_LINE_SINK_H_
#define BASE_LINES_LINE_SINK_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward {

// Used by one thread at a time.
class LineSink {
 public:
  virtual ~LineSink() = default;

  // Writes whole lines, each with its newline; what follows an error begins on a line of its own.
  // Blocks, for a second or so at most.
  virtual absl::Status Write(std::string_view lines) = 0;
};

}  // namespace steward

#endif  // BASE_LINES_LINE_SINK_H_

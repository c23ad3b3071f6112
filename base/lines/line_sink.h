// The interface of destinations for lines of text. Used by one thread at a time.
#ifndef BASE_LINES_LINE_SINK_H_
#define BASE_LINES_LINE_SINK_H_

#include <string_view>

#include "absl/status/status.h"

namespace steward {

class LineSink {
 public:
  virtual ~LineSink() = default;

  // Writes whole lines, each with its newline; after an error, the next text begins on a new line.
  // Blocks for about a second at most.
  virtual absl::Status Write(std::string_view lines) = 0;
};

}  // namespace steward

#endif  // BASE_LINES_LINE_SINK_H_

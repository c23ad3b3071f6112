#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "console/server/watch_lines.h"

// The first byte is the size of the pieces in which the rest arrives. The output must be the input
// without its blank lines.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr size_t kMaxLine = 64;
  const size_t step = size_t{data[0]} + 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  steward::console::WatchLines lines(kMaxLine);
  size_t taken = 0;
  for (size_t at = 0; at < text.size(); at += step) {
    lines.buffer() += text.substr(at, step);
    while (true) {
      const absl::StatusOr<std::optional<std::string>> line = lines.Next();
      if (!line.ok()) return 0;
      if (!line->has_value()) break;
      if ((*line)->size() > kMaxLine + 1 || !(*line)->ends_with('\n')) std::abort();
      const size_t found = text.find(**line, taken);
      if (found == std::string_view::npos) std::abort();
      taken = found + (*line)->size();
    }
    if (lines.buffer().size() > kMaxLine) std::abort();
  }
  return 0;
}

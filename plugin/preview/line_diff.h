// The difference between two texts, line by line. Pure functions.
#ifndef PLUGIN_PREVIEW_LINE_DIFF_H_
#define PLUGIN_PREVIEW_LINE_DIFF_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace steward::plugin {

struct DiffLine {
  char mark = ' ';  // '-': only before; '+': only after; ' ': in both
  std::string_view text;

  bool operator==(const DiffLine&) const = default;
};

// Lines that differ, and up to three on either side that do not, as in a unified diff.
struct DiffHunk {
  size_t before_line = 0;  // from 1; 0 where it has none of that text
  size_t before_count = 0;
  size_t after_line = 0;  // likewise
  size_t after_count = 0;
  std::vector<DiffLine> lines;
};

// The hunks of the fewest lines that differ; where both texts differ over so many lines that
// finding these would take long, all of those. The results view the texts, of which each line ends
// with '\n'.
std::vector<DiffHunk> DiffLines(std::string_view before, std::string_view after);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_LINE_DIFF_H_

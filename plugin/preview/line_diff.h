// Compares two texts line by line. Pure functions.
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

// Lines that differ, with up to three equal lines on either side, as in a unified diff.
struct DiffHunk {
  size_t before_line = 0;  // from 1; 0 = the hunk has no lines of that text
  size_t before_count = 0;
  size_t after_line = 0;  // like before_line
  size_t after_count = 0;
  std::vector<DiffLine> lines;
};

// Returns the hunks with the fewest differing lines. If both texts differ in so many lines that
// this would take long, all of those lines count as different. The results view the texts.
// REQUIRES: each line ends with '\n'.
std::vector<DiffHunk> DiffLines(std::string_view before, std::string_view after);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_LINE_DIFF_H_

#include "plugin/preview/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace steward::plugin {
namespace {

using Lines = std::vector<std::string_view>;

// The number of equal lines shown around a difference.
constexpr size_t kContext = 3;
// The most pairs of lines that are compared; 100,000 take a millisecond.
constexpr size_t kMaxPairs = 4'000'000;

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void AddAll(char mark, const Lines& lines, size_t from, size_t to, std::vector<DiffLine>& out) {
  for (size_t i = from; i < to; ++i) out.push_back({mark, lines[i]});
}

// Adds the lines from `start` up to the last `tail` of each text, using the longest common
// subsequence.
void AddMiddle(const Lines& a, const Lines& b, size_t start, size_t tail,
               std::vector<DiffLine>& out) {
  const size_t n = a.size() - tail - start;
  const size_t m = b.size() - tail - start;
  if (n == 0 || m == 0 || n > kMaxPairs / m) {
    AddAll('-', a, start, start + n, out);
    AddAll('+', b, start, start + m, out);
    return;
  }
  // length[i * (m + 1) + j] is the length of the longest common subsequence of the lines from i on
  // and from j on.
  std::vector<uint32_t> length((n + 1) * (m + 1));
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      const size_t here = i * (m + 1) + j;
      length[here] = a[start + i] == b[start + j]
                         ? length[here + m + 2] + 1
                         : std::max(length[here + m + 1], length[here + 1]);
    }
  }
  size_t i = 0;
  size_t j = 0;
  while (i < n || j < m) {
    const size_t here = i * (m + 1) + j;
    if (i < n && j < m && a[start + i] == b[start + j]) {
      out.push_back({' ', a[start + i]});
      ++i;
      ++j;
    } else if (j == m || (i < n && length[here + m + 1] >= length[here + 1])) {
      out.push_back({'-', a[start + i++]});
    } else {
      out.push_back({'+', b[start + j++]});
    }
  }
}

std::vector<DiffLine> AllLines(const Lines& a, const Lines& b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t start = 0;
  while (start < shorter && a[start] == b[start]) ++start;
  size_t tail = 0;
  while (tail < shorter - start && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<DiffLine> all;
  AddAll(' ', a, 0, start, all);
  AddMiddle(a, b, start, tail, all);
  AddAll(' ', a, a.size() - tail, a.size(), all);
  return all;
}

// Returns the end of the hunk that begins with a difference at `from`.
size_t EndOf(const std::vector<DiffLine>& all, size_t from) {
  size_t last = from;  // the last line that differs
  for (size_t i = from; i < all.size() && i - last <= 2 * kContext + 1; ++i) {
    if (all[i].mark != ' ') last = i;
  }
  return std::min(last + 1 + kContext, all.size());
}

}  // namespace

std::vector<DiffHunk> DiffLines(std::string_view before, std::string_view after) {
  const std::vector<DiffLine> all = AllLines(Split(before), Split(after));
  std::vector<DiffHunk> hunks;
  size_t a = 0;  // the number of lines of `before` up to here
  size_t b = 0;
  size_t begin = 0;  // the first line that is in no hunk yet
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].mark == ' ') continue;
    const size_t first = std::max(begin, i - std::min(i, kContext));
    // Skipped lines are in both texts.
    a += first - begin;
    b += first - begin;
    const size_t end = EndOf(all, i);
    DiffHunk hunk;
    for (size_t k = first; k < end; ++k) {
      hunk.before_count += all[k].mark != '+' ? 1 : 0;
      hunk.after_count += all[k].mark != '-' ? 1 : 0;
      hunk.lines.push_back(all[k]);
    }
    hunk.before_line = hunk.before_count == 0 ? a : a + 1;
    hunk.after_line = hunk.after_count == 0 ? b : b + 1;
    a += hunk.before_count;
    b += hunk.after_count;
    hunks.push_back(std::move(hunk));
    begin = end;
    i = end - 1;
  }
  return hunks;
}

}  // namespace steward::plugin

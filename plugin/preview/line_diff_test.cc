#include "plugin/preview/line_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

// Returns a unified diff without file names.
std::string Text(const std::vector<DiffHunk>& hunks) {
  std::string text;
  for (const DiffHunk& hunk : hunks) {
    StrAppend(&text, "@@ -", hunk.before_line, ",", hunk.before_count, " +", hunk.after_line, ",",
              hunk.after_count, "\n");
    for (const DiffLine& line : hunk.lines)
      StrAppend(&text, std::string(1, line.mark), line.text, "\n");
  }
  return text;
}

TEST(LineDiffTest, Hunks) {
  struct Row {
    const char* name;
    const char* before;
    const char* after;
    const char* hunks;
  };
  for (const Row& row : {
           Row{"nothing", "", "", ""},
           Row{"the same", "a\nb\n", "a\nb\n", ""},
           Row{"all is new", "", "a\nb\n", "@@ -0,0 +1,2\n+a\n+b\n"},
           Row{"all goes", "a\n", "", "@@ -1,1 +0,0\n-a\n"},
           Row{"one line", "a\n", "b\n", "@@ -1,1 +1,1\n-a\n+b\n"},
           Row{"context", "1\n2\n3\n4\n5\nx\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\ny\n6\n7\n8\n9\n",
               "@@ -3,7 +3,7\n 3\n 4\n 5\n-x\n+y\n 6\n 7\n 8\n"},
           Row{"near each other", "x\n1\n2\n3\n4\n5\n6\nx\n", "y\n1\n2\n3\n4\n5\n6\ny\n",
               "@@ -1,8 +1,8\n-x\n+y\n 1\n 2\n 3\n 4\n 5\n 6\n-x\n+y\n"},
           Row{"far from each other", "x\n1\n2\n3\n4\n5\n6\n7\nx\n", "y\n1\n2\n3\n4\n5\n6\n7\n",
               "@@ -1,4 +1,4\n-x\n+y\n 1\n 2\n 3\n@@ -6,4 +6,3\n 5\n 6\n 7\n-x\n"},
           Row{"moved", "a\nb\nc\n", "b\nc\na\n", "@@ -1,3 +1,3\n-a\n b\n c\n+a\n"},
           Row{"no end of line", "a", "a\nb", "@@ -1,1 +1,2\n a\n+b\n"},
       }) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Text(DiffLines(row.before, row.after)), row.hunks);
  }
}

// For random texts, both can be rebuilt from the hunks and the lines left out, and hunks do not
// touch.
TEST(LineDiffTest, BothTextsAreInIt) {
  std::mt19937 random(1);
  const auto draw = [&random](unsigned lines) {
    std::string text;
    for (unsigned i = 0; i < lines; ++i) StrAppend(&text, random() % 4, "\n");
    return text;
  };
  for (int i = 0; i < 300; ++i) {
    const std::string before = draw(random() % 30);
    const std::string after = draw(random() % 30);
    SCOPED_TRACE(StrCat(before, "---\n", after));
    std::string patched;
    size_t at = 0;  // an offset in `before`
    const auto copy = [&](size_t lines) {
      for (; lines > 0; --lines) {
        const size_t end = before.find('\n', at) + 1;
        patched += before.substr(at, end - at);
        at = end;
      }
    };
    size_t line = 0;  // the number of lines of `before` copied so far
    for (const DiffHunk& hunk : DiffLines(before, after)) {
      const size_t first = hunk.before_count == 0 ? hunk.before_line : hunk.before_line - 1;
      ASSERT_GE(first, line);
      copy(first - line);
      line = first + hunk.before_count;
      for (const DiffLine& each : hunk.lines) {
        if (each.mark != '+') {
          EXPECT_EQ(before.substr(at, each.text.size() + 1), StrCat(each.text, "\n"));
          at += each.text.size() + 1;
        }
        if (each.mark != '-') StrAppend(&patched, each.text, "\n");
      }
    }
    patched += before.substr(at);
    EXPECT_EQ(patched, after);
  }
}

TEST(LineDiffTest, TextsWithTooManyLinesAreReplaced) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    StrAppend(&before, i, "\n");
    StrAppend(&after, 5000 - i, "\n");
  }
  const std::vector<DiffHunk> hunks = DiffLines("same\n" + before, "same\n" + after);
  ASSERT_EQ(hunks.size(), 1u);
  EXPECT_EQ(hunks[0].lines.size(), 10'001u);
}

}  // namespace
}  // namespace steward::plugin

#include "base/text/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace steward {
namespace {

TEST(PrintableTest, EscapesWhatCouldSteerATerminal) {
  struct Case {
    const char* name;
    std::string text;
    std::string want;
  };
  for (const Case& c : {
           Case{"plain", "a/b-c.1 é 漢", "a/b-c.1 é 漢"},
           Case{"escape", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07"},
           Case{"line breaks", "a\r\nb", "a\\x0d\\x0ab"},
           Case{"zero", std::string("a\0b", 3), "a\\x00b"},
           Case{"C1",
                "\xC2\x9b"
                "31m",
                "\\x9b31m"},
           Case{"raw C1 byte",
                "\x9b"
                "31m",
                "\xEF\xBF\xBD"
                "31m"},
           Case{"right to left",
                "\xE2\x80\xAE"
                "abc",
                "\\u{202e}abc"},
           Case{"isolate", "\xE2\x81\xA6", "\\u{2066}"},
           Case{"line separator", "\xE2\x80\xA8", "\\u{2028}"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Printable(c.text), c.want);
  }
}

TEST(PrintableTest, LinesStay) {
  EXPECT_EQ(PrintableLines("a\tb\n\x1b[2Jc\r\n\n"), "a\tb\n\\x1b[2Jc\\x0d\n\n");
  EXPECT_EQ(PrintableLines(""), "");
}

TEST(PrintableTest, CutsByColumns) {
  EXPECT_EQ(CutTo("abcdef", 6), "abcdef");
  EXPECT_EQ(CutTo("abcdef", 5), "abcd…");
  EXPECT_EQ(CutTo("漢字漢字", 5), "漢字…");
  EXPECT_EQ(CutTo("abc", 0), "");
  EXPECT_EQ(Columns("漢é…"), 4u);
}

}  // namespace
}  // namespace steward

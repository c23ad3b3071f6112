#include "base/json/utf8.h"

#include <gtest/gtest.h>

namespace steward {
namespace {

TEST(DecodeUtf8Test, Table) {
  const struct {
    std::string_view text;
    uint32_t code;
    size_t length;
  } rows[] = {
      {"a", 'a', 1},
      {std::string_view("\0", 1), 0, 1},
      {"\xc2\x80", 0x80, 2},
      {"\xdf\xbf", 0x7FF, 2},
      {"\xe0\xa0\x80", 0x800, 3},
      {"\xef\xbf\xbf", 0xFFFF, 3},
      {"\xf0\x90\x80\x80", 0x10000, 4},
      {"\xf4\x8f\xbf\xbf", 0x10FFFF, 4},
      {"\x80", 0, 0},
      {"\xc1\xbf", 0, 0},
      {"\xe0\x9f\xbf", 0, 0},
      {"\xed\xa0\x80", 0, 0},
      {"\xf0\x8f\xbf\xbf", 0, 0},
      {"\xf4\x90\x80\x80", 0, 0},
      {"\xf5\x80\x80\x80", 0, 0},
      {"\xe2\x82", 0, 0},
      {"\xe2(\xa1", 0, 0},
      {"\xff", 0, 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.text));
    const Utf8Char c = DecodeUtf8(row.text, 0);
    EXPECT_EQ(c.length, row.length);
    EXPECT_EQ(c.code, row.code);
  }
  EXPECT_EQ(DecodeUtf8("aé", 1).code, 0xE9u);
}

TEST(Utf8Test, CutsNoCharacter) {
  EXPECT_EQ(CutUtf8("aé", 3), "aé");
  EXPECT_EQ(CutUtf8("aé", 2), "a");
  EXPECT_EQ(CutUtf8("€€", 5), "€");
  EXPECT_EQ(CutUtf8("€", 2), "");
  EXPECT_EQ(CutUtf8("abc", 2), "ab");
}

}  // namespace
}  // namespace steward

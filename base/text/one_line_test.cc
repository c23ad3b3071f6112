#include "base/text/one_line.h"

#include <gtest/gtest.h>

namespace steward {
namespace {

TEST(OneLineTest, CutsBetweenCharacters) {
  EXPECT_EQ(OneLine("", 3), "");
  EXPECT_EQ(OneLine("abc", 3), "abc");
  EXPECT_EQ(OneLine("a\nbc", 3), "a b…");
  EXPECT_EQ(OneLine("aäb", 2), "a…");
  EXPECT_EQ(OneLine("aäb", 3), "aä…");
  EXPECT_EQ(OneLine("€", 1), "…");
}

}  // namespace
}  // namespace steward

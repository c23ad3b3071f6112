#include "base/text/hex.h"

#include <gtest/gtest.h>

#include <string_view>

namespace steward {
namespace {

TEST(HexTest, EveryCharacter) {
  constexpr std::string_view kLower = "0123456789abcdef";
  constexpr std::string_view kUpper = "0123456789ABCDEF";
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    SCOPED_TRACE(i);
    size_t want = kLower.find(c);
    if (want == std::string_view::npos) want = kUpper.find(c);
    EXPECT_EQ(HexDigit(c), want == std::string_view::npos ? -1 : static_cast<int>(want));
  }
}

}  // namespace
}  // namespace steward

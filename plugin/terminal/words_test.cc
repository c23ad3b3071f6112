#include "plugin/terminal/words.h"

#include <gtest/gtest.h>

namespace steward::plugin {
namespace {

TEST(WordsTest, CountsAndTimes) {
  EXPECT_EQ(CountText(1, "custom resource"), "1 custom resource");
  EXPECT_EQ(CountText(4, "custom resource"), "4 custom resources");
  EXPECT_EQ(ElapsedText(absl::Seconds(7)), "0:07");
  EXPECT_EQ(ElapsedText(absl::Seconds(3723)), "1:02:03");
}

TEST(WordsTest, Sizes) {
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(1536), "1.5 KiB");
  EXPECT_EQ(BytesText((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(BytesText(int64_t{20} << 30), "20.0 GiB");
  EXPECT_EQ(BytesText(int64_t{3} << 50), "3072.0 TiB");
}

}  // namespace
}  // namespace steward::plugin

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

}  // namespace
}  // namespace steward::plugin

#include "plugin/terminal/words.h"

#include <gtest/gtest.h>

#include <utility>

namespace steward::plugin {
namespace {

TEST(WordsTest, CountsAndTimes) {
  EXPECT_EQ(CountText(1, "custom resource"), "1 custom resource");
  EXPECT_EQ(CountText(4, "custom resource"), "4 custom resources");
  EXPECT_EQ(ElapsedText(absl::Seconds(7)), "0:07");
  EXPECT_EQ(ElapsedText(absl::Seconds(3723)), "1:02:03");
}

TEST(WordsTest, Ages) {
  const absl::Duration day = absl::Hours(24);
  const std::pair<absl::Duration, const char*> rows[] = {
      {-absl::Seconds(5), "0s"},
      {absl::Seconds(119), "119s"},
      {absl::Seconds(120), "2m"},
      {absl::Minutes(9) + absl::Seconds(59), "9m59s"},
      {absl::Minutes(10) + absl::Seconds(59), "10m"},
      {absl::Minutes(179), "179m"},
      {absl::Hours(3), "3h"},
      {absl::Hours(7) + absl::Minutes(5), "7h5m"},
      {absl::Hours(8) + absl::Minutes(5), "8h"},
      {absl::Hours(47), "47h"},
      {absl::Hours(48), "2d"},
      {7 * day + absl::Hours(23), "7d23h"},
      {8 * day + absl::Hours(23), "8d"},
      {729 * day, "729d"},
      {730 * day, "2y"},
      {8 * 365 * day - day, "7y364d"},
      {8 * 365 * day + 5 * day, "8y"},
  };
  for (const auto& [age, text] : rows) EXPECT_EQ(AgeText(age), text);
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

#include "base/flags/duration.h"

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

TEST(DurationTest, Reads) {
  const std::pair<const char*, absl::Duration> rows[] = {
      {"10s", absl::Seconds(10)},
      {"1m30s", absl::Seconds(90)},
      {"250ms", absl::Milliseconds(250)},
      {"0", absl::ZeroDuration()},
  };
  for (const auto& [text, expected] : rows) {
    absl::Duration got = absl::Hours(1);
    EXPECT_EQ(ReadDuration(text, got), "");
    EXPECT_EQ(got, expected) << text;
  }
}

TEST(DurationTest, Refuses) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "not a duration"},     {"10", "not a duration"},    {"inf", "not a duration"},
      {"-inf", "not a duration"}, {"soon", "\"soon\" is not"}, {"-1s", "negative"},
  };
  for (const auto& [text, problem] : rows) {
    absl::Duration got = absl::Hours(1);
    EXPECT_THAT(ReadDuration(text, got), HasSubstr(problem)) << text;
    EXPECT_EQ(got, absl::Hours(1));
  }
}

TEST(DurationTest, Writes) {
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0s");
  EXPECT_EQ(DurationText(absl::Seconds(60)), "1m");
  EXPECT_EQ(DurationText(absl::Seconds(90)), "1m30s");
}

}  // namespace
}  // namespace steward

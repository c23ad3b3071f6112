#include "kube/meta/time.h"

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

TEST(TimeTest, Formats) {
  const absl::Time time = absl::FromUnixMicros(1'136'214'245'987'654);
  EXPECT_EQ(FormatRfc3339(time), "2006-01-02T15:04:05Z");
  EXPECT_EQ(FormatRfc3339Micro(time), "2006-01-02T15:04:05.987654Z");
  EXPECT_EQ(FormatRfc3339(absl::UnixEpoch()), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatRfc3339Micro(absl::UnixEpoch()), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatRfc3339(absl::UnixEpoch() - absl::Nanoseconds(1)), "1969-12-31T23:59:59Z");
}

TEST(TimeTest, Parses) {
  const struct {
    const char* text;
    absl::Time time;
  } rows[] = {
      {"2006-01-02T15:04:05Z", absl::FromUnixSeconds(1'136'214'245)},
      {"2006-01-02T15:04:05+02:30", absl::FromUnixSeconds(1'136'214'245 - 9000)},
      {"2006-01-02T15:04:05-07:00", absl::FromUnixSeconds(1'136'214'245 + 25200)},
      {"2006-01-02T15:04:05.5Z", absl::FromUnixMillis(1'136'214'245'500)},
      {"2006-01-02T15:04:05.123456789Z", absl::FromUnixNanos(1'136'214'245'123'456'789)},
      {"2006-01-02T15:04:05.1234567899999Z", absl::FromUnixNanos(1'136'214'245'123'456'789)},
      {"2024-02-29T00:00:00Z", absl::FromUnixSeconds(1'709'164'800)},
      {"0001-01-01T00:00:00Z", absl::FromUnixSeconds(-62'135'596'800)},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_THAT(ParseRfc3339(row.text), IsOkAndHolds(row.time));
  }
}

TEST(TimeTest, RefusesWhatIsNoRfc3339) {
  for (const char* text : {
           "",
           "2006-01-02",
           "2006-01-02T15:04:05",
           "2006-01-02 15:04:05Z",
           "2006-01-02t15:04:05z",
           "2006-1-02T15:04:05Z",
           "2006-13-02T15:04:05Z",
           "2006-00-02T15:04:05Z",
           "2006-02-30T15:04:05Z",
           "2023-02-29T15:04:05Z",
           "2006-01-02T24:00:00Z",
           "2006-01-02T15:60:00Z",
           "2006-01-02T15:04:60Z",
           "2006-01-02T15:04:05.Z",
           "2006-01-02T15:04:05+0200",
           "2006-01-02T15:04:05+02",
           "2006-01-02T15:04:05ZZ",
           " 2006-01-02T15:04:05Z",
           "-006-01-02T15:04:05Z",
           "12006-01-02T15:04:05Z",
           "infinite-future",
       }) {
    EXPECT_THAT(ParseRfc3339(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(TimeTest, RoundTrip) {
  for (int64_t seconds = -1'000'000'000; seconds < 4'000'000'000; seconds += 86'399'123) {
    const absl::Time time = absl::FromUnixSeconds(seconds);
    EXPECT_THAT(ParseRfc3339(FormatRfc3339(time)), IsOkAndHolds(time));
    EXPECT_THAT(ParseRfc3339(FormatRfc3339Micro(time + absl::Microseconds(7))),
                IsOkAndHolds(time + absl::Microseconds(7)));
  }
}

}  // namespace
}  // namespace steward::kube

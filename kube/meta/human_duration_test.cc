#include "kube/meta/human_duration.h"

#include <gtest/gtest.h>

#include <string>

namespace steward::kube {
namespace {

TEST(HumanDurationTest, AsKubectlShows) {
  const absl::Duration kDay = absl::Hours(24);
  const absl::Duration kYear = 365 * kDay;
  const struct {
    absl::Duration duration;
    std::string want;
  } kRows[] = {
      {-absl::InfiniteDuration(), "<invalid>"},
      {-absl::Seconds(2), "<invalid>"},
      {-absl::Milliseconds(1999), "0s"},
      {absl::ZeroDuration(), "0s"},
      {absl::Milliseconds(1999), "1s"},
      {absl::Seconds(119), "119s"},
      {absl::Seconds(120), "2m"},
      {absl::Seconds(121), "2m1s"},
      {absl::Seconds(599), "9m59s"},
      {absl::Seconds(600), "10m"},
      {absl::Minutes(179) + absl::Seconds(59), "179m"},
      {absl::Hours(3), "3h"},
      {absl::Hours(3) + absl::Minutes(1), "3h1m"},
      {absl::Hours(8) - absl::Seconds(1), "7h59m"},
      {absl::Hours(8) + absl::Minutes(59), "8h"},
      {absl::Hours(48) - absl::Seconds(1), "47h"},
      {2 * kDay, "2d"},
      {2 * kDay + absl::Hours(3), "2d3h"},
      {8 * kDay - absl::Seconds(1), "7d23h"},
      {8 * kDay, "8d"},
      {2 * kYear - absl::Seconds(1), "729d"},
      {2 * kYear, "2y"},
      {2 * kYear + kDay, "2y1d"},
      {8 * kYear - absl::Seconds(1), "7y364d"},
      {8 * kYear, "8y"},
      {100 * kYear, "100y"},
  };
  for (const auto& row : kRows) EXPECT_EQ(HumanDuration(row.duration), row.want) << row.duration;
}

}  // namespace
}  // namespace steward::kube

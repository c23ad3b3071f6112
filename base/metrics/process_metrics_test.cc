#include "base/metrics/process_metrics.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace steward {
namespace {

using ::testing::UnorderedElementsAre;

TEST(ProcessStatTest, Parses) {
  const auto stat = ParseProcessStat(
      "42 (a) b (c) S 1 42 42 0 -1 4194304 1000 0 0 0 250 50 0 0 20 0 4 0 123456 1048576 300 "
      "18446744073709551615 1 1\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->cpu_ticks, 300);
  EXPECT_EQ(stat->start_ticks, 123456);
  EXPECT_EQ(stat->virtual_bytes, 1048576);
  EXPECT_EQ(stat->resident_pages, 300);
}

TEST(ProcessStatTest, IsNone) {
  for (const char* text : {"", "42 (name", "42 (name) S 1 2 3",
                           "42 (n) S 1 42 42 0 -1 4194304 1000 0 0 0 x 50 0 0 20 0 4 0 1 2 3"}) {
    EXPECT_FALSE(ParseProcessStat(text).has_value()) << text;
  }
}

std::map<std::string, double> Values() {
  std::map<std::string, double> values;
  for (const auto& family : CollectProcessMetrics()) {
    const auto& metric = family.metric.at(0);
    values[family.name] =
        family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
  }
  return values;
}

TEST(ProcessMetricsTest, AreThisProcesss) {
  std::map<std::string, double> values = Values();
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    names.push_back(name);
    if (name != "process_cpu_seconds_total") {
      EXPECT_GT(value, 0) << name;
    }
  }
  EXPECT_THAT(names,
              UnorderedElementsAre("process_cpu_seconds_total", "process_resident_memory_bytes",
                                   "process_virtual_memory_bytes", "process_start_time_seconds",
                                   "process_open_fds", "process_max_fds"));
  // The two clocks may have been set since.
  EXPECT_LT(values["process_start_time_seconds"],
            absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()) + 3600);
  const int opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(Values()["process_open_fds"], values["process_open_fds"] + 1);
  close(opened);
}

}  // namespace
}  // namespace steward

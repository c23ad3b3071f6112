#include "console/server/watch_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::console {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Drain(WatchLines& lines) {
  std::vector<std::string> drained;
  while (true) {
    const auto line = lines.Next();
    EXPECT_OK(line);
    if (!line.ok() || !line->has_value()) return drained;
    drained.push_back(**line);
  }
}

TEST(WatchLinesTest, Lines) {
  WatchLines lines;
  EXPECT_THAT(Drain(lines), ElementsAre());
  lines.buffer() += "{\"a\":1}\n{\"b\"";
  EXPECT_THAT(Drain(lines), ElementsAre("{\"a\":1}\n"));
  EXPECT_EQ(lines.buffer(), "{\"b\"");
  lines.buffer() += ":2}\n\n \r\nc\n";
  EXPECT_THAT(Drain(lines), ElementsAre("{\"b\":2}\n", "c\n"));
  EXPECT_EQ(lines.buffer(), "");
}

TEST(WatchLinesTest, HoweverItIsCut) {
  const std::string_view text = "one\ntwo\n\nthree\nrest";
  for (size_t step = 1; step <= text.size(); ++step) {
    WatchLines lines;
    std::vector<std::string> all;
    for (size_t at = 0; at < text.size(); at += step) {
      lines.buffer() += text.substr(at, step);
      for (std::string& line : Drain(lines)) all.push_back(std::move(line));
    }
    EXPECT_THAT(all, ElementsAre("one\n", "two\n", "three\n")) << step;
  }
}

TEST(WatchLinesTest, TooLong) {
  WatchLines lines(4);
  lines.buffer() += "1234\n";
  EXPECT_THAT(lines.Next(), IsOkAndHolds(std::optional<std::string>("1234\n")));
  lines.buffer() += "12345\n";
  EXPECT_THAT(lines.Next(), StatusIs(absl::StatusCode::kDataLoss));
  WatchLines unfinished(4);
  unfinished.buffer() += "12345";
  EXPECT_THAT(unfinished.Next(), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace steward::console

#include "base/log/background.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/lines/string_sink.h"
#include "base/status/matchers.h"

namespace steward::log {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class BackgroundTest : public ::testing::Test {
 protected:
  std::unique_ptr<Background> Begin(Format format, size_t max_bytes = Background::kMaxBytes) {
    return std::make_unique<Background>(format, std::make_unique<StringSink>(text_), registry_,
                                        max_bytes);
  }
  std::string text_;
  prometheus::Registry registry_;
};

TEST_F(BackgroundTest, TextIsAsOnStandardError) {
  auto background = Begin(Format::kText);
  Info("Listed", {{"items", 12}});
  background.reset();
  EXPECT_THAT(text_, MatchesRegex("I[0-9]{4} [0-9:.]{15} +[0-9]+ \"Listed\" items=\"12\"\n"));
}

TEST_F(BackgroundTest, JsonIsOneObjectALine) {
  auto background = Begin(Format::kJson);
  SetVerbosity(4);
  Verbose(4, "HTTP", {{"verb", "get"}});
  SetVerbosity(0);
  Warning("a\n\"b\"", {{"err", absl::NotFoundError("\xff")}});
  background.reset();
  const size_t first = text_.find('\n');
  ASSERT_OK_AND_ASSIGN(const boost::json::value http, ParseJson(text_.substr(0, first)));
  EXPECT_EQ(http.at("v"), 4);
  EXPECT_EQ(http.at("level"), "info");
  EXPECT_EQ(http.at("msg"), "HTTP");
  EXPECT_EQ(http.at("verb"), "get");
  EXPECT_TRUE(http.at("ts").is_double());
  ASSERT_OK_AND_ASSIGN(const boost::json::value warning, ParseJson(text_.substr(first + 1)));
  EXPECT_EQ(warning.at("level"), "warning");
  EXPECT_EQ(warning.at("msg"), "a\n\"b\"");
}

TEST_F(BackgroundTest, ValuesAreCut) {
  const std::string much(100'000, 'x');
  for (const Format format : {Format::kText, Format::kJson}) {
    text_.clear();
    auto background = Begin(format);
    Info(much, {{"path", much}});
    background.reset();
    EXPECT_LT(text_.size(), 2'400u);
    EXPECT_THAT(text_, HasSubstr("xxx..."));
  }
}

TEST_F(BackgroundTest, WhatDoesNotFitIsCounted) {
  auto background = Begin(Format::kText, 10);
  Info("too much");
  background.reset();
  EXPECT_THAT(text_, IsEmpty());
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry_.Collect()),
              HasSubstr("steward_log_lines_lost_total 1"));
}

TEST_F(BackgroundTest, ManyThreads) {
  auto background = Begin(Format::kJson);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) Info("line");
    });
  }
  for (std::thread& thread : threads) thread.join();
  background.reset();
  EXPECT_EQ(std::count(text_.begin(), text_.end(), '\n'), 400);
}

}  // namespace
}  // namespace steward::log

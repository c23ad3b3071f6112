#include "base/trace/traceparent.h"

#include <gtest/gtest.h>

#include <string>

namespace steward {
namespace {

constexpr char kGood[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceparentTest, WhatIsValid) {
  struct Row {
    std::string value;
    std::string want;
  };
  const Row rows[] = {
      {kGood, kGood},
      {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", kGood},
      {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-will-be", kGood},
      {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-", ""},
      {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x", ""},
      {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""},
      {"00-00000000000000000000000000000000-b7ad6b7169203331-01", ""},
      {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""},
      {"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", ""},
      {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g", ""},
      {"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""},
      {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", ""},
      {"", ""},
      {"\"><script>", ""},
  };
  for (const Row& row : rows) EXPECT_EQ(ValidTraceparent(row.value), row.want) << row.value;
}

}  // namespace
}  // namespace steward

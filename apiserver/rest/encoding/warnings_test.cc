#include "apiserver/rest/encoding/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/http/message/message.h"

namespace steward::rest {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WarningsTest, OneFieldEach) {
  http::Headers headers;
  AddWarnings({"", "unknown field \"spec.x\"", "b", "b", ""}, headers);
  EXPECT_THAT(headers.FindAll("Warning"),
              ElementsAre(R"(299 - "unknown field \"spec.x\"")", R"(299 - "b")"));
  http::Headers none;
  AddWarnings({"", ""}, none);
  EXPECT_THAT(none.fields(), IsEmpty());
}

TEST(WarningsTest, Bounded) {
  http::Headers headers;
  AddWarnings({std::string(4096, 'a')}, headers);
  EXPECT_EQ(headers.FindAll("Warning")[0].size(), 4096 + 8u);

  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(std::to_string(1000 + i) + std::string(1000, 'a'));
  http::Headers cut;
  AddWarnings(many, cut);
  EXPECT_EQ(cut.fields().size(), 16u);
  for (const auto& [name, value] : cut.fields()) EXPECT_EQ(value.size(), 256 + 8u);
}

}  // namespace
}  // namespace steward::rest

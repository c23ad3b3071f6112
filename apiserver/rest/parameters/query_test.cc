#include "apiserver/rest/parameters/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/http/message/message.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

using testing::ElementsAre;

http::Request RequestWith(std::vector<std::pair<std::string, std::string>> query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

TEST(QueryTest, TheFirstCounts) {
  const http::Request request = RequestWith({{"a", "1"}, {"b", "x"}, {"a", "2"}});
  EXPECT_EQ(QueryString(request, "a"), "1");
  EXPECT_EQ(QueryString(request, "c"), "");
  EXPECT_THAT(QueryStrings(request, "a"), ElementsAre("1", "2"));
  EXPECT_THAT(QueryStrings(request, "c"), ElementsAre());
}

TEST(QueryTest, Booleans) {
  const struct {
    std::string text;
    bool want;
  } kRows[] = {{"true", true}, {"", true},       {"no", true},
               {"0", false},   {"false", false}, {"False", false}};
  for (const auto& row : kRows) {
    EXPECT_EQ(QueryBool(RequestWith({{"a", row.text}}), "a"), row.want) << row.text;
  }
  EXPECT_EQ(QueryBool(RequestWith({}), "a"), std::nullopt);
}

TEST(QueryTest, Integers) {
  const struct {
    std::string text;
    std::optional<int64_t> want;
  } kRows[] = {{"7", 7},
               {"-7", -7},
               {"+7", 7},
               {"", std::nullopt},
               {"+-7", std::nullopt},
               {"7x", std::nullopt},
               {"9223372036854775807", INT64_MAX},
               {"9223372036854775808", std::nullopt}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.text);
    const auto got = QueryInt64(RequestWith({{"a", row.text}}), "a");
    if (row.want) {
      EXPECT_THAT(got, IsOkAndHolds(row.want));
    } else {
      ASSERT_FALSE(got.ok());
      EXPECT_EQ(kube::FromStatus(got.status()).code, 400);
    }
  }
  EXPECT_THAT(QueryInt64(RequestWith({}), "a"), IsOkAndHolds(std::nullopt));
}

}  // namespace
}  // namespace steward::rest

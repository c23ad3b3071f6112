#include "apiserver/http/message/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace steward::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::Pair;
using ::testing::Pointee;

TEST(HeadersTest, NamesCompareWithoutCase) {
  Headers headers;
  headers.Add("X-Remote-Group", "a");
  headers.Add("Accept", "json");
  headers.Add("x-remote-group", "b");
  EXPECT_THAT(headers.Find("x-REMOTE-group"), Pointee(std::string("a")));
  EXPECT_THAT(headers.FindAll("X-Remote-Group"), ElementsAre("a", "b"));
  EXPECT_THAT(headers.Find("X-Remote"), IsNull());
}

TEST(HeadersTest, SetReplacesEveryValueInPlace) {
  Headers headers;
  headers.Add("A", "1");
  headers.Add("B", "2");
  headers.Add("a", "3");
  headers.Set("A", "4");
  headers.Set("C", "5");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("A", "4"), Pair("B", "2"), Pair("C", "5")));
}

TEST(HeadersTest, RemoveIfAsksOnceForEachField) {
  // Clients may send many such fields: one pass per removed name would be quadratic.
  constexpr int kFields = 20'000;
  Headers headers;
  for (int i = 0; i < kFields; ++i) headers.Add("X-Remote-" + std::to_string(i), "");
  headers.Add("Accept", "json");
  int asked = 0;
  headers.RemoveIf([&asked](std::string_view name) {
    ++asked;
    return name.starts_with("X-Remote-");
  });
  EXPECT_EQ(asked, kFields + 1);
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("Accept", "json")));
}

TEST(HeadersTest, RemoveTakesEveryValue) {
  Headers headers;
  headers.Add("A", "1");
  headers.Add("B", "2");
  headers.Add("a", "3");
  headers.Remove("a");
  headers.Remove("Z");
  EXPECT_THAT(headers.fields(), ElementsAre(Pair("B", "2")));
}

TEST(RequestTest, FirstQueryValueCounts) {
  Request request;
  request.query = {{"limit", "1"}, {"limit", "2"}, {"empty", ""}};
  EXPECT_THAT(request.Query("limit"), Pointee(std::string("1")));
  EXPECT_THAT(request.Query("empty"), Pointee(std::string()));
  EXPECT_THAT(request.Query("Limit"), IsNull());
}

TEST(SegmentTest, OwnsItsBytes) {
  const Segment segment = OwnedSegment(std::string("short"));
  const Segment copy = segment;
  EXPECT_EQ(copy.bytes, "short");
  EXPECT_EQ(copy.owner.use_count(), 2);
}

}  // namespace
}  // namespace steward::http

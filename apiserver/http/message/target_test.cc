#include "apiserver/http/message/target.h"

#include <string>

#include "base/status/matchers.h"

namespace steward::http {
namespace {

using ::testing::HasSubstr;

TEST(TargetTest, Reads) {
  struct Row {
    std::string target;
    std::string path;
    QueryPairs query;
  };
  const Row rows[] = {
      {"/", "/", {}},
      {"/apis/g/v1?", "/apis/g/v1", {}},
      {"/a%2Fb+c%20d", "/a/b+c d", {}},
      {"/%e4%B8%96", "/\xe4\xb8\x96", {}},
      {"/x?labelSelector=a%3Db%2Cc&limit=5", "/x", {{"labelSelector", "a=b,c"}, {"limit", "5"}}},
      {"/x?a=1+2&a=%2B", "/x", {{"a", "1 2"}, {"a", "+"}}},
      {"/x?&&a&b=&=c&", "/x", {{"a", ""}, {"b", ""}, {"", "c"}}},
      {"/x?a=b=c?d/#", "/x", {{"a", "b=c?d/#"}}},
      {"/x#f", "/x#f", {}},
      {"//x/../y", "//x/../y", {}},
      {"https://host:1/x?a=b", "/x", {{"a", "b"}}},
      {"http://host", "/", {}},
      {"http://host?a=b", "/", {{"a", "b"}}},
      {"/x?%61=%00", "/x", {{"a", std::string(1, '\0')}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.target);
    ASSERT_OK_AND_ASSIGN(const Target target, ParseTarget(row.target));
    EXPECT_EQ(target.path, row.path);
    EXPECT_EQ(target.query, row.query);
  }
}

TEST(TargetTest, ParametersAreLimited) {
  std::string target = "/x?";
  for (size_t i = 0; i < kMaxQueryParameters; ++i) target += "a&&";
  ASSERT_OK_AND_ASSIGN(const Target most, ParseTarget(target));
  EXPECT_EQ(most.query.size(), kMaxQueryParameters);
  EXPECT_THAT(ParseTarget(target + "b"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                  HasSubstr("more than 1000 query parameters")));
}

TEST(TargetTest, Refuses) {
  for (const std::string target :
       {"", "*", "x", "%2Fx", "host:443", "ftp://h/x", "/%", "/%1", "/%zz", "/x?a=%", "/x?%f=1",
        "/x?a;b", "/a b", "/a\x7f", "/a\tb"}) {
    SCOPED_TRACE(target);
    EXPECT_THAT(ParseTarget(target), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace steward::http

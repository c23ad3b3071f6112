#include "apiserver/rest/negotiation/etag.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward::rest {
namespace {

TEST(ClientHoldsTest, All) {
  const struct {
    std::string name;
    std::vector<std::string> fields;
    std::string etag;
    bool want;
  } kRows[] = {
      {"nothing asked", {}, "\"a\"", false},
      {"same", {"\"a\""}, "\"a\"", true},
      {"other", {"\"b\""}, "\"a\"", false},
      {"unquoted", {"a"}, "\"a\"", false},
      {"weak", {"W/\"a\""}, "\"a\"", true},
      {"star", {"*"}, "\"a\"", true},
      {"list", {"\"b\" , \"a\""}, "\"a\"", true},
      {"second field", {"\"b\"", "\"a\""}, "\"a\"", true},
      {"no tag", {"*"}, "", false},
      {"commas", {",,"}, "\"a\"", false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request;
    for (const std::string& field : row.fields) request.headers.Add("If-None-Match", field);
    EXPECT_EQ(ClientHolds(request, row.etag), row.want);
  }
}

}  // namespace
}  // namespace steward::rest

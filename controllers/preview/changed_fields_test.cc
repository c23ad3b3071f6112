#include "controllers/preview/changed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(ChangedFieldsTest, Paths) {
  struct Row {
    const char* name;
    const char* before;
    const char* after;
    std::vector<std::string> paths;
  };
  const std::vector<Row> rows = {
      {"nothing", R"({"spec":{"a":1}})", R"({"spec":{"a":1}})", {}},
      {"order of members", R"({"a":1,"b":2})", R"({"b":2,"a":1})", {}},
      {"leaf",
       R"({"spec":{"replicas":1,"b":1}})",
       R"({"spec":{"replicas":2,"b":1}})",
       {"spec.replicas"}},
      {"added and removed",
       R"({"spec":{"a":{"b":1}}})",
       R"({"spec":{"c":{"d":1}}})",
       {"spec.a", "spec.c"}},
      {"another type", R"({"spec":{"a":1}})", R"({"spec":{"a":"1"}})", {"spec.a"}},
      {"a key that is no word",
       R"({"metadata":{"labels":{"a/b":"1"}}})",
       R"({"metadata":{"labels":{"a/b":"2","c.d":"e"}}})",
       {R"(metadata.labels["a/b"])", R"(metadata.labels["c.d"])"}},
      {"an entry of a list",
       R"({"spec":{"ports":[{"port":1},{"port":2}]}})",
       R"({"spec":{"ports":[{"port":1},{"port":3}]}})",
       {"spec.ports[1].port"}},
      {"a longer list", R"({"rules":[1]})", R"({"rules":[1,2]})", {"rules"}},
      {"books of the server",
       R"({"metadata":{"resourceVersion":"1","generation":1,"managedFields":[1]},"spec":1})",
       R"({"metadata":{"resourceVersion":"2","generation":2},"spec":1})",
       {}},
      {"no books elsewhere",
       R"({"spec":{"generation":1}})",
       R"({"spec":{"generation":2}})",
       {"spec.generation"}},
      {"no objects", "1", "2", {""}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const ChangedFields changed = Compare(json::parse(row.before), json::parse(row.after), 50);
    EXPECT_THAT(changed.paths, ElementsAreArray(row.paths));
    EXPECT_EQ(changed.more, 0u);
    EXPECT_EQ(changed.empty(), row.paths.empty());
  }
}

TEST(ChangedFieldsTest, Bounds) {
  const json::value before = json::object();
  const json::value after = {{"a", 1}, {"b", 2}, {"c", 3}, {std::string(500, 'd'), 4}};
  const ChangedFields two = Compare(before, after, 2);
  EXPECT_THAT(two.paths, ElementsAre("a", "b"));
  EXPECT_EQ(two.more, 2u);
  EXPECT_LE(Compare(before, after, 4).paths.back().size(), kMaxPath + 3);
}

}  // namespace
}  // namespace steward::controllers

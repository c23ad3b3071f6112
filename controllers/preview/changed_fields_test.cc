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

std::vector<std::string> PathsOf(const ChangedFields& changed) {
  std::vector<std::string> paths;
  for (const olm::PreviewChange& change : changed.changes) paths.push_back(change.path);
  return paths;
}

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
    const ChangedFields changed = Compare(json::parse(row.before), json::parse(row.after), {});
    EXPECT_THAT(PathsOf(changed), ElementsAreArray(row.paths));
    EXPECT_EQ(changed.more, 0u);
    EXPECT_EQ(changed.empty(), row.paths.empty());
  }
}

TEST(ChangedFieldsTest, Bounds) {
  const json::value before = json::object();
  const json::value after = {{"a", 1}, {"b", 2}, {"c", 3}, {std::string(500, 'd'), 4}};
  const ChangedFields two = Compare(before, after, {.fields = 2});
  EXPECT_THAT(PathsOf(two), ElementsAre("a", "b"));
  EXPECT_EQ(two.more, 2u);
  EXPECT_LE(Compare(before, after, {.fields = 4}).changes.back().path.size(), kMaxPath + 3);
}

TEST(ChangedFieldsTest, Values) {
  const json::value before = json::parse(R"({"a":1,"b":{"c":null},"d":[1],"same":1})");
  const json::value after = json::parse(R"({"a":"x","d":[1,2],"e":{},"same":1})");
  EXPECT_THAT(
      Compare(before, after, {}).changes,
      ElementsAre(olm::PreviewChange{"a", "1", R"("x")"},
                  olm::PreviewChange{"b", R"({"c":null})", ""},
                  olm::PreviewChange{"d", "[1]", "[1,2]"}, olm::PreviewChange{"e", "", "{}"}));
}

TEST(ChangedFieldsTest, BoundsOfValues) {
  const json::value before = {{"a", "1"}, {"b", std::string(20, 'b')}, {"c", "1"}, {"d", "1"}};
  const json::value after = {{"a", "2"}, {"b", "2"}, {"c", "2"}, {"d", "2"}};
  // Each value of one letter has three bytes.
  EXPECT_THAT(Compare(before, after, {.value_bytes = 10, .bytes = 12}).changes,
              ElementsAre(olm::PreviewChange{"a", R"("1")", R"("2")"},
                          olm::PreviewChange{"b", "", "", true},
                          olm::PreviewChange{"c", R"("1")", R"("2")"},
                          olm::PreviewChange{"d", "", "", true}));
  EXPECT_THAT(PathsOf(Compare(before, after, {.bytes = 0})), ElementsAre("a", "b", "c", "d"));
  const std::string text(kMaxText + 1, 'x');
  const olm::PreviewChange cut =
      Compare(json::object(), {{"a", {{"b", json::array{text}}}}}, {}).changes.at(0);
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.after, R"({"b":[")" + text.substr(1) + R"(…"]})");
}

TEST(ChangedFieldsTest, ACreationIsTheObject) {
  const json::value object = json::parse(
      R"({"kind":"K","metadata":{"name":"n","uid":"u","resourceVersion":"1","generation":1,)"
      R"("creationTimestamp":"t","managedFields":[]},"spec":1})");
  EXPECT_EQ(Creation(object, {}),
            (olm::PreviewChange{"", "", R"({"kind":"K","metadata":{"name":"n"},"spec":1})"}));
  EXPECT_EQ(Creation(object, {.value_bytes = 5}), (olm::PreviewChange{"", "", "", true}));
}

TEST(ChangedFieldsTest, WhatIsSecretIsMasked) {
  struct Row {
    const char* name;
    const char* before;
    const char* after;
    const char* masked_before;
    const char* masked_after;
  };
  const std::vector<Row> rows = {
      {"data", R"j({"data":{"same":"a","other":"b","gone":"c"},"type":"t"})j",
       R"j({"data":{"same":"a","other":"d","new":"e"},"type":"u"})j",
       R"j({"data":{"same":"***","other":"*** (before)","gone":"***"},"type":"t"})j",
       R"j({"data":{"same":"***","other":"*** (after)","new":"***"},"type":"u"})j"},
      {"what is created", "null",
       R"j({"stringData":{"a":"b"},"metadata":{"name":"n","annotations":{"last":"secret"}}})j",
       "null",
       R"j({"stringData":{"a":"***"},"metadata":{"name":"n","annotations":{"last":"***"}}})j"},
      {"no mapping", R"j({"data":"a"})j", R"j({"data":{"a":"b"}})j", R"j({"data":"*** (before)"})j",
       R"j({"data":"*** (after)"})j"},
      {"deep values", R"j({"data":{"a":{"b":"c"}}})j", R"j({"data":{"a":["c"]}})j",
       R"j({"data":{"a":"*** (before)"}})j", R"j({"data":{"a":"*** (after)"}})j"},
      {"annotations come", R"j({"metadata":{"labels":{"a":"b"}}})j",
       R"j({"metadata":{"labels":{"a":"b"},"annotations":{"a":"b"}}})j",
       R"j({"metadata":{"labels":{"a":"b"}}})j",
       R"j({"metadata":{"labels":{"a":"b"},"annotations":{"a":"***"}}})j"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    json::value before = json::parse(row.before);
    json::value after = json::parse(row.after);
    MaskSecret(before, after);
    EXPECT_EQ(before, json::parse(row.masked_before));
    EXPECT_EQ(after, json::parse(row.masked_after));
  }
}

}  // namespace
}  // namespace steward::controllers

#include "base/yaml/block_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/yaml/document.h"

namespace steward::yaml {
namespace {

struct Known {
  const char* name;
  const char* text;
  const char* json;
};
class BlockDocumentTest : public testing::TestWithParam<Known> {};

TEST_P(BlockDocumentTest, IsReadAsTheParserOfAllYamlReadsIt) {
  const auto fast = ParseBlockDocument(GetParam().text, {});
  ASSERT_TRUE(fast.has_value());
  EXPECT_EQ(Serialize(*fast), GetParam().json);
  const auto slow = ParseDocument(GetParam().text, 1, {});
  ASSERT_OK(slow);
  EXPECT_EQ(Serialize(*slow), GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockDocumentTest,
    testing::Values(
        Known{"Mapping", "a: 1\nb: x y\n", R"({"a":1,"b":"x y"})"},
        Known{"BehindAMarker", "---\na: b\n", R"({"a":"b"})"},
        Known{"Scalars", "a: true\nb: ~\nc: 1.5\nd: \"1\"\ne: 2026-01-01\nf:\ng: -x\n",
              R"({"a":true,"b":null,"c":1.5,"d":"1","e":"2026-01-01","f":null,"g":"-x"})"},
        Known{"Nested", "a:\n  b:\n    c: d\n  e: f\n", R"({"a":{"b":{"c":"d"},"e":"f"}})"},
        Known{"ListBelowTheKey", "a:\n- 1\n- b: 2\n  c: 3\nd: 4\n",
              R"({"a":[1,{"b":2,"c":3}],"d":4})"},
        Known{"ListIndented", "a:\n  - x\n  - - v\n    - z\nb: {}\nc: []\n",
              R"({"a":["x",["v","z"]],"b":{},"c":[]})"},
        Known{"KeysOfManagedFields", "f:a:\n  .: {}\n  k:{\"type\":\"A\"}: {}\n",
              R"({"f:a":{".":{},"k:{\"type\":\"A\"}":{}}})"},
        Known{"QuotedKeys", "'*': a\n\"b c\": d\n", R"({"*":"a","b c":"d"})"},
        Known{"Literal", "a: |\n  x\n    y\n\n  # z\nb: |-\n  x\n\nc: |+\n  x\n\nd: 1\n",
              R"({"a":"x\n  y\n\n# z\n","b":"x","c":"x\n\n","d":1})"},
        Known{"LiteralInAList", "- |\n  x\n- |-\n  y\n", R"(["x\n","y"])"},
        Known{"SeveralLines", "a: 'it''s\n  one\n\n  two'\nb: \"x \\\n  y\\n\"\nc: p\n  q\n",
              R"({"a":"it's one\ntwo","b":"x y\n","c":"p q"})"},
        Known{"Escapes", "a: \"\\u00e9\\t\\\"\\\\\"\n", "{\"a\":\"é\\t\\\"\\\\\"}"},
        Known{"Comments", "# x\na: 1\n# y\nb: 2\n# z\n", R"({"a":1,"b":2})"}),
    [](const auto& info) { return info.param.name; });

// What follows is for the parser of all YAML, right or wrong.
TEST(BlockDocumentTest, LeavesTheRestToOthers) {
  for (const std::string text : {
           "",
           "a",
           "a: 1",
           "a: 1\r\n",
           "a: &x 1\nb: *x\n",
           "a: !!str 1\n",
           "a: {b: c}\n",
           "a: [1]\n",
           "a: >\n  x\n",
           "a: |2\n  x\n",
           "a: 1 # comment\n",
           "a: 1\na: 2\n",
           "a: b: c\n",
           "a: 1\n  b: 2\n",
           "a:\n  b: 1\n c: 2\n",
           "<<: {}\n",
           "1: a\n",
           "? a\n: b\n",
           "a: \"x\n",
           "a: 'x\ny'\n",
           "a:\n\tb: 1\n",
           "a: 1\n...\n",
           "--- a\n",
           "-\n  a: 1\n",
       }) {
    EXPECT_FALSE(ParseBlockDocument(text, {}).has_value()) << text;
  }
}

TEST(BlockDocumentTest, KeepsTheLimitOfDepth) {
  std::string text;
  for (int i = 0; i < 5; ++i) text += std::string(2 * i, ' ') + "a:\n";
  EXPECT_TRUE(ParseBlockDocument(text, {.max_depth = 5}).has_value());
  EXPECT_FALSE(ParseBlockDocument(text, {.max_depth = 4}).has_value());
}

}  // namespace
}  // namespace steward::yaml

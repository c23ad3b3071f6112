#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/yaml/yaml.h"

namespace steward {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ParseYamlTest, Values) {
  const struct {
    const char* name;
    const char* yaml;
    const char* json;
  } rows[] = {
      {"empty", "", "null"},
      {"only a comment", "# nothing\n", "null"},
      {"marker and comment", "---\n# nothing\n...\n", "null"},
      {"explicit null", "--- ~\n", "null"},
      {"scalar", "text", R"("text")"},
      {"json", R"({"a": [1, "x", null], "b": {"c": true}})",
       R"({"a":[1,"x",null],"b":{"c":true}})"},
      {"json with what only json allows", "{\"a\": \"\x7f\\/\"}", "{\"a\":\"\x7f/\"}"},
      {"flow that is no json", "{a: [1, x], b: {c: yes,}, d}",
       R"({"a":[1,"x"],"b":{"c":true},"d":null})"},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "a: 1\n",
       R"({"a":1})"},
      {"block", "a:\n  b: 1\n  c:\n  - x\n  -  - w\n     - z\n  d:\n",
       R"({"a":{"b":1,"c":["x",["w","z"]],"d":null}})"},
      {"windows newlines", "a: 1\r\nb:\r\n- x\r\n", R"({"a":1,"b":["x"]})"},
      {"marker with content", "--- {a: 1}\n", R"({"a":1})"},
      {"directive", "%YAML 1.1\n---\na: 1\n", R"({"a":1})"},
      {"document end", "a: 1\n...\n# bye\n", R"({"a":1})"},
      {"quoted scalars are strings", R"(["1", 'true', "", '~', "y"])",
       R"(["1","true","","~","y"])"},
      {"tags", "[!!str 1, !!int \"2\", !!float 3, ! 4, !x 5, !!str , !!binary aGk=]",
       R"(["1",2,3.0,"4","5","","hi"])"},
      {"escapes", R"("\x41\u00e9\U0001F600\n\0\"\\")", R"("Aé😀\n\u0000\"\\")"},
      {"escapes of single bytes", R"("\Né\_é\L\P\e")", "\"\u0085é\u00a0é\\u2028\\u2029\\u001b\""},
      {"single quotes", "'it''s'", R"("it's")"},
      {"quotes at the end", "- &x !!str \"a\"\n- ! 'b'''", R"(["a","b'"])"},
      {"quotes inside plain", "- a'b\n- !!str a\"b\n", R"(["a'b","a\"b"])"},
      {"literal", "a: |\n  x\n   y\n\n  z\nb: |-\n  x\nc: |+\n  x\n\n",
       R"({"a":"x\n y\n\nz\n","b":"x","c":"x\n\n"})"},
      {"folded", "a: >\n  x\n  y\n\n  z\n", R"({"a":"x y\nz\n"})"},
      {"keys become strings", "1: a\n1.5: b\nyes: c\n\"2\": d\n? e\n: f\n0x10: g\n",
       R"({"1":"a","1.5":"b","true":"c","2":"d","e":"f","16":"g"})"},
      {"anchors", "a: &x {k: [1, &y s]}\nb: *x\nc: *y\n",
       R"({"a":{"k":[1,"s"]},"b":{"k":[1,"s"]},"c":"s"})"},
      {"anchor on null", "a: &x\nb: *x\n", R"({"a":null,"b":null})"},
      {"anchor moves", "- &x 1\n- *x\n- &x 2\n- *x\n", "[1,1,2,2]"},
      {"merge", "a: &x {k: 1, l: 2}\nb:\n  k: 9\n  <<: *x\n",
       R"({"a":{"k":1,"l":2},"b":{"k":9,"l":2}})"},
      {"merge list", "- &x {k: 1}\n- &y {k: 2, l: 3}\n- <<: [*x, *y]\n  m: 4\n",
       R"([{"k":1},{"k":2,"l":3},{"m":4,"k":1,"l":3}])"},
      {"quoted << is a key", "'<<': 1\n", R"({"<<":1})"},
      {"<< is a value", "a: <<\n", R"({"a":"<<"})"},
      {"indicators inside plain", "a: b-c:d?e,f]g#h\nurl: http://x:80/?q=1\n",
       R"({"a":"b-c:d?e,f]g#h","url":"http://x:80/?q=1"})"},
      {"dashes that are no marker", "a: ---\n----: b\n", R"({"a":"---","----":"b"})"},
      {"explicit key without value", "? x\nz: 1\n", R"({"x":null,"z":1})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<boost::json::value> value = ParseYaml(row.yaml);
    ASSERT_OK(value);
    EXPECT_EQ(Serialize(*value), row.json);
  }
}

TEST(ParseYamlTest, Errors) {
  const struct {
    const char* name;
    std::string yaml;
    const char* start;
    const char* reason;
  } rows[] = {
      {"duplicate key", "a: 1\nb:\n  c: 1\n  c: 2\n", "line 4: ", "key \"c\" already set in map"},
      {"duplicate key in json", "{\"a\": 1,\n\"a\": 2}",
       "line 2: ", "key \"a\" already set in map"},
      {"duplicate key after conversion", "1: a\n\"1\": b\n",
       "line 2: ", "key \"1\" already set in map"},
      {"duplicate key in flow", "[{a: 1, a: 2}]", "line 1: ", "already set"},
      {"null key", "~: a\n", "line 1: ", "key must be a scalar"},
      {"sequence as key", "a: 1\n? [x]\n: b\n", "line 2: ", "key must be a scalar"},
      {"unclosed flow", "a: [1, 2\n", "line ", ""},
      {"unclosed quote", "a: 1\nb: \"x\n\\\" ", "line ", "scalar"},
      {"unclosed single quote", "a: 'it''s\n", "line 1: ", "quoted"},
      {"unclosed quote after a tag", "- &x !!str\n  'a\n", "line 1: ", "quoted"},
      {"lone quote", "\"", "line 1: ", "quoted"},
      {"bad indentation", "a: 1\n  b: 2\n", "line 2: ", ""},
      {"no colon", "a: 1\nb\nc: 2\n", "line ", ""},
      {"no colon at the end", "a: 1\n\nb\n", "line 3: ", "':'"},
      {"no element between commas", "[1, , 2]", "line 1: ", "node content"},
      {"unknown alias", "a: *x\n", "line 1: ", "anchor"},
      {"alias inside its anchor", "a: &x [*x]\n", "line 1: ", "alias"},
      {"merge of a scalar", "a:\n  <<: 1\n", "line 2: ", "map merge"},
      {"merge of a list of scalars", "<<: [1]\n", "line 1: ", "map merge"},
      {"not a number", "a: 1\nb: .nan\n", "line 2: ", "no JSON form"},
      {"wrong tag", "a: !!int x\n", "line 1: ", "!!int"},
      {"control character", "a: 1\nb: \x01\n", "line 2: ", "control characters"},
      {"NUL", std::string("a: \0\n", 5), "line 1: ", "control characters"},
      {"invalid UTF-8", "a: 1\n\nb: \xff\n", "line 3: ", "UTF-8"},
      {"UTF-16",
       std::string("\xff\xfe"
                   "a\0",
                   4),
       "line 1: ", "UTF-8"},
      {"two documents", "a: 1\n---\nb: 2\n", "line 2: ", "second document"},
      {"content after the end", "a: 1\n...\nb: 2\n", "line 1: ", "more content"},
      {"scalar after a quoted one", "\"a\" b", "line 1: ", ""},
      {"directives alone", "%YAML 1.2\n", "line 1: ", "no document"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(ParseYaml(row.yaml), StatusIs(absl::StatusCode::kInvalidArgument,
                                              AllOf(StartsWith(row.start), HasSubstr(row.reason))));
  }
}

TEST(ParseYamlTest, Limits) {
  EXPECT_THAT(ParseYaml("abcd", {.max_size = 3}), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_OK(ParseYaml("abc", {.max_size = 3}));
  const std::string flow = std::string(300, '[') + std::string(300, ']');
  EXPECT_THAT(ParseYaml(flow),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested too deeply")));
  EXPECT_OK(ParseYaml(flow, {.max_depth = 300}));
  EXPECT_OK(ParseYaml("a: [{b: x}]", {.max_depth = 3}));
  EXPECT_THAT(ParseYaml("a: [{b: x}]", {.max_depth = 2}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  std::string block;
  for (int i = 0; i < 2000; ++i) block += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(ParseYaml(block),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nested too deeply")));
}

TEST(ParseYamlTest, BoundsWhatAliasesAdd) {
  std::string laughs = "a0: &a0 lol\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + "," + last +
              "," + last + "]\n";
  }
  EXPECT_THAT(ParseYaml(laughs),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too large")));
  std::string wide = "- &a " + std::string(10'000, 'x') + "\n";
  for (int i = 0; i < 2000; ++i) wide += "- *a\n";
  EXPECT_THAT(ParseYaml(wide),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too large")));
  EXPECT_OK(ParseYaml(wide, {.max_expansion = 64 << 20}));
}

TEST(ParseYamlDocumentsTest, ABadDocumentDoesNotHideTheOthers) {
  const std::vector<YamlDocument> documents = ParseYamlDocuments(
      "# header\n"
      "%YAML 1.1\n"
      "---\n"
      "a: 1\n"
      "---\n"
      "# nothing here\n"
      "---\n"
      "b: 1\n"
      "b: 2\n"
      "--- # again\n"
      "text: |\n"
      "  --- not a marker\n"
      "---\n"
      "{\"c\": 3}\n"
      "...\n"
      "---\r\n"
      "d: \x02\n"
      "---\n");
  ASSERT_EQ(documents.size(), 5u);
  const struct {
    size_t line;
    const char* json;
    const char* error;
  } rows[] = {
      {3, R"({"a":1})", ""},
      {7, nullptr, "line 9: key \"b\" already set in map"},
      {10, R"({"text":"--- not a marker\n"})", ""},
      {13, R"({"c":3})", ""},
      {16, nullptr, "line 17: control characters are not allowed"},
  };
  for (size_t i = 0; i < documents.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(documents[i].line, rows[i].line);
    if (rows[i].json != nullptr) {
      ASSERT_OK(documents[i].value);
      EXPECT_EQ(Serialize(*documents[i].value), rows[i].json);
    } else {
      EXPECT_THAT(documents[i].value, StatusIs(absl::StatusCode::kInvalidArgument, rows[i].error));
    }
  }
}

TEST(ParseYamlDocumentsTest, Edges) {
  EXPECT_TRUE(ParseYamlDocuments("").empty());
  EXPECT_TRUE(ParseYamlDocuments("---\n---\n...\n").empty());
  ASSERT_EQ(ParseYamlDocuments("--- null").size(), 1u);
  const std::vector<YamlDocument> large = ParseYamlDocuments("a: 1", {.max_size = 1});
  ASSERT_EQ(large.size(), 1u);
  EXPECT_THAT(large[0].value, StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace steward

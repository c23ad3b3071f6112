#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <limits>
#include <random>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/yaml/yaml.h"

namespace steward {
namespace {

namespace json = boost::json;

std::string Written(const json::value& value) {
  std::string out;
  WriteYaml(value, out);
  return out;
}

TEST(WriteYamlTest, Layout) {
  const struct {
    const char* name;
    const char* json;
    const char* yaml;
  } rows[] = {
      {"null", "null", "null\n"},
      {"scalar", R"("text")", "text\n"},
      {"empty object", "{}", "{}\n"},
      {"empty array", "[]", "[]\n"},
      {"sorted keys", R"({"b":1,"a":{"d":null,"c":true}})", "a:\n  c: true\n  d: null\nb: 1\n"},
      {"sequences stand under their key", R"({"a":[1,"x",{"k":1,"l":[2]}],"b":[]})",
       "a:\n- 1\n- x\n- k: 1\n  l:\n  - 2\nb: []\n"},
      {"nested sequences", "[[1,[2,3]],[{\"a\":[]}]]", "- - 1\n  - - 2\n    - 3\n- - a: []\n"},
      {"numbers", "[1,-2,18446744073709551615,1.5,1e30,1.0]",
       "- 1\n- -2\n- 18446744073709551615\n- 1.5\n- 1.0e+30\n- 1.0\n"},
      {"literal blocks", R"({"a":"x\ny","b":"x\ny\n","c":"x\n\n","d":["x\n  y\n\nz\n"]})",
       "a: |-\n  x\n  y\nb: |\n  x\n  y\nc: |+\n  x\n\nd:\n- |\n  x\n    y\n\n  z\n"},
      {"literal in a nested map", R"({"a":{"b":"x\ny\n"}})", "a:\n  b: |\n    x\n    y\n"},
      {"literal as a document", R"("x\n---\n")", "|\n  x\n  ---\n"},
      {"texts that no literal block can hold",
       R"(["\nx"," x\ny","x \ny","x\ty\n","x\r\ny","x\n ","\u0085\nx"])",
       "- \"\\nx\"\n- \" x\\ny\"\n- \"x \\ny\"\n- \"x\\ty\\n\"\n- \"x\\r\\ny\"\n- \"x\\n \"\n- "
       "\"\\u0085\\nx\"\n"},
      {"quoted keys", R"({"yes":1,"1":2,"a b":3,"":4,"a: b":5,"x\ny":6})",
       "\"\": 4\n\"1\": 2\na b: 3\n\"a: b\": 5\n\"x\\ny\": 6\n\"yes\": 1\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(const json::value value, ParseJson(row.json));
    EXPECT_EQ(Written(value), row.yaml);
    EXPECT_THAT(ParseYaml(row.yaml), IsOkAndHolds(value));
    std::string from_text = "kept\n";
    EXPECT_OK(WriteJsonAsYaml(row.json, from_text));
    EXPECT_EQ(from_text, std::string("kept\n") + row.yaml);
  }
}

TEST(WriteYamlTest, Strings) {
  const struct {
    std::string text;
    const char* yaml;
  } rows[] = {
      {"plain text", "plain text"},
      {"a,b]c", "a,b]c"},
      {"a:b#c", "a:b#c"},
      {"http://x:80/?q=1", "http://x:80/?q=1"},
      {"--flag=x", "--flag=x"},
      {"-x", "-x"},
      {"1.2.3", "1.2.3"},
      {"it's", "it's"},
      {"é漢😀", "é漢😀"},
      {"", "\"\""},
      {"null", "\"null\""},
      {"~", "\"~\""},
      {"y", "\"y\""},
      {"NO", "\"NO\""},
      {"oFf", "\"oFf\""},
      {"true", "\"true\""},
      {"12", "\"12\""},
      {"0o14", "\"0o14\""},
      {"0x1F", "\"0x1F\""},
      {"1_000", "\"1_000\""},
      {".5", "\".5\""},
      {"+1", "\"+1\""},
      {"1e3", "\"1e3\""},
      {".inf", "\".inf\""},
      {"1:20", "\"1:20\""},
      {"2001-01-01", "\"2001-01-01\""},
      {"=", "\"=\""},
      {"<<", "\"<<\""},
      {" a", "\" a\""},
      {"a ", "\"a \""},
      {"-", "\"-\""},
      {"- a", "\"- a\""},
      {"---", "\"---\""},
      {"--- a", "\"--- a\""},
      {"...", "\"...\""},
      {"? a", "\"? a\""},
      {":a", "\":a\""},
      {"a:", "\"a:\""},
      {"a: b", "\"a: b\""},
      {"a #b", "\"a #b\""},
      {"#a", "\"#a\""},
      {"[a", "\"[a\""},
      {"{a", "\"{a\""},
      {"]a", "\"]a\""},
      {"}a", "\"}a\""},
      {",a", "\",a\""},
      {"&a", "\"&a\""},
      {"*a", "\"*a\""},
      {"!a", "\"!a\""},
      {"|a", "\"|a\""},
      {">a", "\">a\""},
      {"%a", "\"%a\""},
      {"@a", "\"@a\""},
      {"`a", "\"`a\""},
      {"'a'", "\"'a'\""},
      {"\"a\"", "'\"a\"'"},
      {"a: \"it's\"", "'a: \"it''s\"'"},
      {"\\: ", "'\\: '"},
      {"a\tb", "\"a\\tb\""},
      {std::string("\0\x1b\x7f", 3), "\"\\u0000\\u001B\\u007F\""},
      {"\u0085\u2028\u2029\ufeff", "\"\\u0085\\u2028\\u2029\\uFEFF\""},
      {"\"\n ", "\"\\\"\\n \""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.yaml);
    const json::value value = json::string(row.text);
    EXPECT_EQ(Written(value), std::string(row.yaml) + "\n");
    EXPECT_THAT(ParseYaml(Written(value)), IsOkAndHolds(value));
    const json::value as_key = json::object({{row.text, row.text}});
    EXPECT_THAT(ParseYaml(Written(as_key)), IsOkAndHolds(as_key));
  }
}

TEST(WriteYamlTest, LongKeysTakeTheExplicitForm) {
  for (size_t length : {799, 801, 1100, 5000}) {
    const std::string key(length, 'k');
    for (const char* text : {"1", "\"x\\ny\\n\"", "{\"a\":[1]}", "[1,{\"a\":2}]", "[]"}) {
      SCOPED_TRACE(text);
      const json::value value = json::object({{"a", 1}, {key, *ParseJson(text)}, {"z", 2}});
      EXPECT_THAT(ParseYaml(Written(value)), IsOkAndHolds(value));
    }
  }
}

TEST(WriteYamlTest, WhatJsonLacksBecomesNull) {
  EXPECT_EQ(Written(std::numeric_limits<double>::infinity()), "null\n");
  EXPECT_EQ(Written(json::string("a\xff")), "\"a\\uFFFD\"\n");
}

TEST(WriteYamlTest, RefusesBadJson) {
  std::string out;
  EXPECT_THAT(WriteJsonAsYaml("{", out), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(out, "");
}

class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}

  json::value Value(int depth) {
    switch (Below(depth < 4 ? 10 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return Below(2) == 0;
      case 2:
        return static_cast<int64_t>(random_());
      case 3:
        return static_cast<double>(Below(1'000'000)) / 1024;
      case 7:
      case 8: {
        json::object object;
        for (size_t n = Below(5); n > 0; --n) object[Text()] = Value(depth + 1);
        return object;
      }
      case 9: {
        json::array array;
        for (size_t n = Below(5); n > 0; --n) array.push_back(Value(depth + 1));
        return array;
      }
      default:
        return json::string(Text());
    }
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  std::string Text() {
    static constexpr std::string_view kPieces[] = {
        "a",   "b",      " ",    "  ",         "\n",   "\n\n",   "\t",   "\r",     ": ",    ":",
        "#",   " #",     "- ",   "-",          "---",  "...",    "? ",   "'",      "\"",    "\\",
        "[",   "]",      "{",    "}",          ",",    "&",      "*",    "!",      "|",     ">",
        "%",   "@",      "`",    "~",          "null", "yes",    "0x1f", "0o17",   "1_000", "12",
        "1.5", "1e3",    "1:20", "2001-01-01", "=",    "<<",     ".5",   "+1",     ".inf",  "é",
        "😀",   "\u2028", "\x7f", "text",       "k: v", "\u00a0", "\x01", "\ufeff", "0",     "_"};
    std::string text;
    for (size_t n = Below(6); n > 0; --n) text += kPieces[Below(std::size(kPieces))];
    return text;
  }

  std::mt19937_64 random_;
};

TEST(WriteYamlTest, RandomValuesReadBackEqual) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const json::value value = random.Value(0);
    const std::string yaml = Written(value);
    ASSERT_THAT(ParseYaml(yaml), IsOkAndHolds(value)) << yaml;
  }
}

}  // namespace
}  // namespace steward

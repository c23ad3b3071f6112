#include "base/json/json_path/json_path.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

namespace json = boost::json;

using ::testing::HasSubstr;
using Form = JsonPath::Form;

constexpr char kDocument[] = R"({
  "kind": "List", "n": 3, "f": 2.5, "big": 1e21, "t": true, "none": null, "html": "<a&b>",
  "empty": [],
  "items": [
    {"name": "a", "phase": "Up", "size": 1, "tags": ["x", "y"], "labels": {"k8s.io/app": "web"}},
    {"name": "b", "phase": "Down", "size": 2, "tags": [], "up": null},
    {"name": "c", "phase": "Up", "size": 10, "deep": {"name": "d"}}
  ]
})";

absl::StatusOr<std::string> Printed(std::string_view text, Form form = Form::kText,
                                    const JsonPathLimits& limits = {}) {
  const absl::StatusOr<JsonPath> path = JsonPath::Parse(text);
  if (!path.ok()) return path.status();
  return path->Print(*ParseJson(kDocument), form, limits);
}

TEST(JsonPathTest, Prints) {
  struct Case {
    const char* text;
    const char* want;
  };
  for (const Case& c : {
           Case{"plain", "plain"},
           Case{"{.kind}", "List"},
           Case{"{$.kind}{@.kind}{kind", "unclosed action"},
           Case{"{.n} {.f} {.big} {.t} {.none}", "3 2.5 1e+21 true null"},
           Case{"{.missing}|{.kind.x}|{.none.x}", "||"},
           Case{"{.items[*].name}", "a b c"},
           Case{"{.items[0].name}{.items[-1].name}{.items[-2].name}", "acb"},
           Case{"{.items[0:2].name}|{.items[1:].name}|{.items[:-1].name}", "a b|b c|a b"},
           Case{"{.items[::2].name}|{.items[0:3:2].name}", "a c|a c"},
           Case{"{.items[0,2].name}|{.items[0]['name','phase']}", "a c|a Up"},
           Case{"{.items[0].labels.k8s\\.io/app}", "web"},
           Case{"{.items[0].labels['k8s\\.io/app']}", "web"},
           Case{"{.items[0].tags}{.items[0].labels}", "[\"x\",\"y\"]{\"k8s.io/app\":\"web\"}"},
           Case{"{.items[2]}",
                "{\"deep\":{\"name\":\"d\"},\"name\":\"c\",\"phase\":\"Up\",\"size\":10}"},
           Case{"{.html}{.empty}", "<a&b>[]"},
           Case{"{..name}", "a b c d"},
           Case{"{.items..name}", "a b c d"},
           Case{"{.items[*].deep.*}", "d"},
           Case{"{.items[?(@.phase==\"Up\")].name}", "a c"},
           Case{"{.items[?(@.phase!='Up')].name}", "b"},
           Case{"{.items[?(@.size>1)].name}|{.items[?(@.size<=2)].name}", "b c|a b"},
           Case{"{.items[?(@.size>=10)].name}|{.items[?(@.size<2)].name}", "c|a"},
           Case{"{.items[?(@.deep)].name}|{.items[?(@.up)].name}", "c|b"},
           Case{"{.items[?(@.name==\"a)\")].name}", ""},
           Case{"{range .items[*]}{.name}{\"\\t\"}{.size}{\"\\n\"}{end}", "a\t1\nb\t2\nc\t10\n"},
           Case{"{range .items[*]}[{range .tags[*]}{@},{end}]{end}!", "[x,y,][][]!"},
           Case{"{range .missing[*]}{.name}{end}after", "after"},
           Case{"{range .items[*]}{.name}", "abc"},
           Case{"{'single'}{\"a\\\"b\"}{\"\\u00e9\\x41\\102\"}",
                "singlea\"b\xC3\xA9"
                "AB"},
           Case{"{5}{-2.5}{true}", "5-2.5true"},
       }) {
    SCOPED_TRACE(c.text);
    const absl::StatusOr<std::string> printed = Printed(c.text);
    EXPECT_EQ(printed.ok() ? *printed : std::string(printed.status().message()), c.want);
  }
}

TEST(JsonPathTest, PrintsArraysOfJson) {
  ASSERT_OK_AND_ASSIGN(const std::string names, Printed("{.items[*].size}", Form::kJson));
  EXPECT_EQ(names, "[\n    1,\n    2,\n    10\n]\n");
  ASSERT_OK_AND_ASSIGN(const std::string none, Printed("{.missing}", Form::kJson));
  EXPECT_EQ(none, "[]\n");
  ASSERT_OK_AND_ASSIGN(const std::string object, Printed("{.items[0].labels}", Form::kJson));
  EXPECT_EQ(object, "[\n    {\n        \"k8s.io/app\": \"web\"\n    }\n]\n");
  ASSERT_OK_AND_ASSIGN(const std::string html, Printed("{.html}", Form::kJson));
  EXPECT_EQ(html, "[\n    \"\\u003ca\\u0026b\\u003e\"\n]\n");
}

TEST(JsonPathTest, Refuses) {
  struct Case {
    const char* text;
    const char* why;
  };
  for (const Case& c : {
           Case{"{.kind", "unclosed action"},
           Case{"{.items[0}", "unterminated array"},
           Case{"{.items[x]}", "invalid array index x"},
           Case{"{.items[\"name\"]}", "invalid array index"},
           Case{"{.items[1:2:3:4]}", "invalid array index"},
           Case{"{.items[?(@.name==\"a\"]}", "unterminated filter"},
           Case{"{.items[?(@.name)}", "unclosed array expect ]"},
           Case{"{....name}", "invalid multiple recursive descent"},
           Case{"{..*}", "unrecognized character in action: *"},
           Case{"{\"a}", "unterminated quoted string"},
           Case{"{\"\\q\"}", "invalid escapes"},
           Case{"{\"\\ud800\"}", "invalid escapes"},
           Case{"{1.2.3}", "cannot parse number 1.2.3"},
           Case{"{.items[7]}", "array index out of bounds: index 7, length 3"},
           Case{"{.empty[0]}", "array index out of bounds: index 0, length 0"},
           Case{"{.items[9223372036854775807]}", "array index out of bounds"},
           Case{"{.items[2:1]}", "starting index 2 is greater than ending index 1"},
           Case{"{.items[::0]}", "step must be > 0"},
           Case{"{.kind[0]}", "a string is not an array"},
           Case{"{[?(@.a)]}", "an object is not an array and cannot be filtered"},
           Case{"{.items[?(@.size==\"1\")]}", "different types"},
           Case{"{.items[?(@.tags==1)]}", "an array cannot be compared"},
           Case{"{.items[?(@.up==1)]}", "null cannot be compared"},
           Case{"{.items[?(@.size=1)]}", "unrecognized filter operator ="},
           Case{"{.items[?(@.tags[*]==\"x\")]}", "can only compare one element at a time"},
           Case{"{end}", "not in range, nothing to end"},
           Case{"{foo}", "unrecognized identifier foo"},
       }) {
    SCOPED_TRACE(c.text);
    EXPECT_THAT(Printed(c.text).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.why)));
  }
}

TEST(JsonPathTest, HasLimits) {
  EXPECT_THAT(Printed("{..name}", Form::kText, {.max_steps = 10}).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(Printed("{.items}", Form::kText, {.max_output = 10}).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  std::string ranges;
  for (int i = 0; i < 200; ++i) ranges += "{range @}";
  EXPECT_THAT(Printed(ranges).status(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_FALSE(JsonPath::Parse(std::string(100'000, 'x')).ok());
}

// A short template can find each value many times, so printing must end soon after the limit.
TEST(JsonPathTest, IsBoundedWhileItPrints) {
  std::string many = ":";
  for (int i = 1; i < 900; ++i) many += ",:";
  const std::string twice = StrCat("{.items[", many, "]['tags'][", many, "]}");
  const json::value document = {
      {"items", {{{"tags", {std::string(1 << 20, 'x')}}}, {{"tags", json::array(3, "y")}}}}};
  ASSERT_OK_AND_ASSIGN(const JsonPath path, JsonPath::Parse(twice));
  for (const Form form : {Form::kText, Form::kJson}) {
    // The whole output would be 800 GB.
    EXPECT_THAT(path.Print(document, form, {.max_output = 10U << 20}).status(),
                StatusIs(absl::StatusCode::kResourceExhausted, "it prints too much"));
  }
}

TEST(JsonPathTest, ALimitIsReachedOnlyBeyondIt) {
  for (const Form form : {Form::kText, Form::kJson}) {
    ASSERT_OK_AND_ASSIGN(const std::string all, Printed("{.items[*].name}{.items}", form));
    EXPECT_OK(Printed("{.items[*].name}{.items}", form, {.max_output = all.size()}));
    EXPECT_THAT(Printed("{.items[*].name}{.items}", form, {.max_output = all.size() - 1}).status(),
                StatusIs(absl::StatusCode::kResourceExhausted));
  }
}

TEST(JsonPathTest, MessagesCutTemplates) {
  const std::string word(1000, 'w');
  for (const std::string& text :
       {StrCat("{", word, "}"), StrCat("{.items[", word, "]}"), StrCat("{\"\\q", word, "\"}"),
        StrCat("{1.", std::string(1000, '2'), ".3}")}) {
    SCOPED_TRACE(text);
    const absl::Status wrong = Printed(text).status();
    EXPECT_THAT(wrong, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("...")));
    EXPECT_LT(wrong.message().size(), 300U);
  }
  EXPECT_EQ(JsonPath::Shown("{.a}"), "{.a}");
  EXPECT_EQ(JsonPath::Shown(std::string(200, 'a')), std::string(200, 'a'));
  // No character is split.
  EXPECT_EQ(JsonPath::Shown(std::string(199, 'a') + "\u00e9"), std::string(199, 'a') + "...");
}

}  // namespace
}  // namespace steward

#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/selector.h"

namespace steward::kube {
namespace {

using Op = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr char kKeyForm[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kValueForm[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr char kSubdomainForm[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

TEST(LabelSelectorTest, Parses) {
  const std::string x63(63, 'x');
  const struct {
    std::string text;
    std::vector<Requirement> requirements;
    std::string canonical;
  } rows[] = {
      {"", {}, ""},
      {" \t\r\n", {}, ""},
      {"a", {{"a", Op::kExists, {}}}, "a"},
      {"!a", {{"a", Op::kDoesNotExist, {}}}, "!a"},
      {" ! a ", {{"a", Op::kDoesNotExist, {}}}, "!a"},
      {"a=b", {{"a", Op::kIn, {"b"}}}, "a=b"},
      {"a==b", {{"a", Op::kIn, {"b"}}}, "a=b"},
      {" a = b ", {{"a", Op::kIn, {"b"}}}, "a=b"},
      {"a=", {{"a", Op::kIn, {""}}}, "a="},
      {"a=,b", {{"a", Op::kIn, {""}}, {"b", Op::kExists, {}}}, "a=,b"},
      {"a!=b", {{"a", Op::kNotIn, {"b"}}}, "a!=b"},
      {"a!=", {{"a", Op::kNotIn, {""}}}, "a!="},
      {"a in (b)", {{"a", Op::kIn, {"b"}}}, "a=b"},
      {"a in (c, b ,c)", {{"a", Op::kIn, {"b", "c"}}}, "a in (b,c)"},
      {"a in(b,c)", {{"a", Op::kIn, {"b", "c"}}}, "a in (b,c)"},
      {"a in ()", {{"a", Op::kIn, {""}}}, "a="},
      {"a in (,)", {{"a", Op::kIn, {""}}}, "a="},
      {"a in (,b)", {{"a", Op::kIn, {"", "b"}}}, "a in (,b)"},
      {"a in (b,,c)", {{"a", Op::kIn, {"", "b", "c"}}}, "a in (,b,c)"},
      {"a notin (b,)", {{"a", Op::kNotIn, {"", "b"}}}, "a notin (,b)"},
      {"a notin (b)", {{"a", Op::kNotIn, {"b"}}}, "a!=b"},
      {"a>1", {{"a", Op::kGreaterThan, {"1"}}}, "a>1"},
      {"a < 9223372036854775807",
       {{"a", Op::kLessThan, {"9223372036854775807"}}},
       "a<9223372036854775807"},
      {"in in (in,notin)", {{"in", Op::kIn, {"in", "notin"}}}, "in in (in,notin)"},
      {"notin=in", {{"notin", Op::kIn, {"in"}}}, "notin=in"},
      {"b=1,a=2", {{"a", Op::kIn, {"2"}}, {"b", Op::kIn, {"1"}}}, "a=2,b=1"},
      {"a=b,a=c", {{"a", Op::kIn, {"b"}}, {"a", Op::kIn, {"c"}}}, "a=b,a=c"},
      {"a=b,a=b", {{"a", Op::kIn, {"b"}}}, "a=b"},
      {"example.com/Na_me.x=V-1",
       {{"example.com/Na_me.x", Op::kIn, {"V-1"}}},
       "example.com/Na_me.x=V-1"},
      {x63 + "=" + x63, {{x63, Op::kIn, {x63}}}, x63 + "=" + x63},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const LabelSelector selector, LabelSelector::Parse(row.text));
    EXPECT_THAT(selector.requirements(), ElementsAreArray(row.requirements));
    EXPECT_EQ(selector.empty(), row.requirements.empty());
    EXPECT_EQ(selector.ToString(), row.canonical);
    EXPECT_THAT(LabelSelector::Parse(selector.ToString()), IsOkAndHolds(selector));
  }
}

TEST(LabelSelectorTest, ErrorsAsInKubernetes) {
  const std::string x64(64, 'x');
  const std::string operators = "in, notin, =, ==, !=, gt, lt";
  const struct {
    std::string text;
    std::string message;
  } rows[] = {
      {",", "found ',', expected: !, identifier, or 'end of string'"},
      {"=b", "found '=', expected: !, identifier, or 'end of string'"},
      {"(a)", "found '(', expected: !, identifier, or 'end of string'"},
      {"a,", "found '', expected: identifier after ','"},
      {"a,,b", "found ',', expected: identifier after ','"},
      {"a b", "unable to parse requirement: found 'b', expected: " + operators},
      {"a (b)", "unable to parse requirement: found '(', expected: " + operators},
      {"a ! b", "unable to parse requirement: found '!', expected: " + operators},
      {"!a=b", "found '=', expected: ',' or 'end of string'"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"!!a", "unable to parse requirement: found '!', expected: identifier"},
      {"a===b", "unable to parse requirement: found '=', expected: identifier"},
      {"a=!b", "unable to parse requirement: found '!', expected: identifier"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"a=(b)", "unable to parse requirement: found '(', expected: identifier"},
      {"a in", "unable to parse requirement: found '' expected: '('"},
      {"a in b", "unable to parse requirement: found 'b' expected: '('"},
      {"a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"},
      {"a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
      {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"},
      {"a in (b,=", "unable to parse requirement: found '=', expected: ',', or identifier"},
      {"a in (b) c", "found 'c', expected: ',' or 'end of string'"},
      {std::string("a\0b", 3), "unable to parse requirement: found 'b', expected: " + operators},
      {"/a=b",
       "unable to parse requirement: <nil>: Invalid value: \"/a\": prefix part must be non-empty"},
      {"a/=b", std::string("unable to parse requirement: <nil>: Invalid value: \"a/\": name part "
                           "must be non-empty; "
                           "name part ") +
                   kKeyForm},
      {"a/b/c",
       std::string(
           "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key ") +
           kKeyForm + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
      {"A_/b",
       std::string("unable to parse requirement: <nil>: Invalid value: \"A_/b\": prefix part ") +
           kSubdomainForm},
      {"-a", std::string("unable to parse requirement: <nil>: Invalid value: \"-a\": name part ") +
                 kKeyForm},
      {"é", std::string("unable to parse requirement: <nil>: Invalid value: \"é\": name part ") +
                kKeyForm},
      {x64, "unable to parse requirement: <nil>: Invalid value: \"" + x64 +
                "\": name part must be no more than 63 bytes"},
      {std::string(254, 'a') + "/b", "unable to parse requirement: <nil>: Invalid value: \"" +
                                         std::string(254, 'a') +
                                         "/b\": prefix part must be no more than 253 bytes"},
      {"a=-b", std::string("unable to parse requirement: values[0][a]: Invalid value: \"-b\": ") +
                   kValueForm},
      {"a=\"b\"",
       std::string(R"(unable to parse requirement: values[0][a]: Invalid value: "\"b\"": )") +
           kValueForm},
      {"a=" + x64, "unable to parse requirement: values[0][a]: Invalid value: \"" + x64 +
                       "\": must be no more than 63 bytes"},
      {"a in (b,c-,-d)",
       std::string("unable to parse requirement: [values[0][a]: Invalid value: \"-d\": ") +
           kValueForm + ", values[2][a]: Invalid value: \"c-\": " + kValueForm + "]"},
      {"a>x",
       "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, "
       "the value must be an "
       "integer"},
      {"a<",
       "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the "
       "value must be an "
       "integer"},
      {"a>9223372036854775808",
       "unable to parse requirement: values[0]: Invalid value: \"9223372036854775808\": for 'Gt', "
       "'Lt' operators, the "
       "value must be an integer"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_THAT(LabelSelector::Parse(row.text),
                StatusIs(absl::StatusCode::kInvalidArgument, row.message));
  }
}

TEST(LabelSelectorTest, TooLongOnesAreNotRead) {
  EXPECT_OK(LabelSelector::Parse("k" + std::string((128 << 10) - 1, ' ')));
  EXPECT_THAT(LabelSelector::Parse(std::string((128 << 10) + 1, 'a')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a label selector must not be longer than 131072 bytes"));
}

// A selector that is short as a text may be long in memory.
TEST(LabelSelectorTest, RequirementsAndValuesAreCountedWhileTheyAreRead) {
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_OK(LabelSelector::Parse(repeated("a,", 999) + "a"));
  EXPECT_OK(LabelSelector::Parse(repeated("a=b,", 499) + "a=b"));
  EXPECT_OK(LabelSelector::Parse("a in (" + repeated("b,", 998) + "b)"));
  EXPECT_OK(LabelSelector::Parse("a notin (" + repeated(",", 998) + ")"));
  const std::string rows[] = {
      repeated("a,", 1000) + "a",
      repeated("!a,", 1000) + "a",
      repeated("a=b,", 500) + "a",
      repeated("a!=b,", 500) + "a",
      repeated("a>1,", 500) + "a",
      "a in (" + repeated("b,", 999) + "b)",
      "a in (" + repeated(",", 60'000) + ")",
      repeated("a in (b),", 500) + "a",
  };
  for (const std::string& text : rows) {
    EXPECT_THAT(LabelSelector::Parse(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "a label selector must not have more than 1000 requirements and values"))
        << text.substr(0, 20);
  }
}

TEST(LabelSelectorTest, WhatIsRequiredTwiceIsRequiredOnce) {
  ASSERT_OK_AND_ASSIGN(const LabelSelector selector, LabelSelector::Parse("b=1,a,b in (1),!a,a"));
  EXPECT_EQ(selector.ToString(), "a,!a,b=1");
}

TEST(LabelSelectorTest, Matches) {
  const LabelMap labels = {{"app", "web"}, {"count", "5"}, {"empty", ""}, {"negative", "-3"}};
  const struct {
    const char* text;
    bool matches;
  } rows[] = {
      {"", true},
      {"app", true},
      {"none", false},
      {"!app", false},
      {"!none", true},
      {"app=web", true},
      {"app=db", false},
      {"none=web", false},
      {"none=", false},
      {"empty=", true},
      {"app!=db", true},
      {"app!=web", false},
      {"none!=web", true},
      {"app in (db,web)", true},
      {"app in (db)", false},
      {"none in (db)", false},
      {"app notin (db)", true},
      {"app notin (db,web)", false},
      {"none notin (db)", true},
      {"empty in ()", true},
      {"app in ()", false},
      {"count>4", true},
      {"count>5", false},
      {"count<6", true},
      {"count<5", false},
      {"negative<0", true},
      {"none>4", false},
      {"none<4", false},
      {"app>4", false},
      {"empty<4", false},
      {"app=web,count=5", true},
      {"app=web,count=6", false},
      {"app=web,app=db", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const LabelSelector selector, LabelSelector::Parse(row.text));
    EXPECT_EQ(selector.Matches(labels), row.matches);
  }
}

absl::StatusOr<LabelSelector> FromJson(const char* text) {
  return LabelSelector::FromJson(*ParseJson(text));
}

TEST(LabelSelectorTest, ReadsTheObjectForm) {
  const struct {
    const char* json;
    const char* canonical;
  } rows[] = {
      {"{}", ""},
      {R"({"matchLabels":null,"matchExpressions":null})", ""},
      {R"({"matchLabels":{},"matchExpressions":[],"unknown":1})", ""},
      {R"({"matchLabels":{"b":"1","a":""}})", "a=,b=1"},
      {R"({"matchLabels":{"a":null}})", "a="},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":["y","x","y"]}]})",
       "a in (x,y)"},
      {R"({"matchExpressions":[{"key":"a","operator":"NotIn","values":["x"]}]})", "a!=x"},
      {R"({"matchExpressions":[{"key":"b","operator":"Exists"},{"key":"a","operator":"DoesNotExist","values":[]}]})",
       "!a,b"},
      {R"({"matchLabels":{"a":"1"},"matchExpressions":[{"key":"a","operator":"Exists","values":null}]})",
       "a=1,a"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.json);
    ASSERT_OK_AND_ASSIGN(const LabelSelector selector, FromJson(row.json));
    EXPECT_EQ(selector.ToString(), row.canonical);
  }
}

TEST(LabelSelectorTest, RefusesBadObjects) {
  const struct {
    const char* json;
    std::string message;
  } rows[] = {
      {"null", "must be an object"},
      {"[]", "must be an object"},
      {R"({"matchLabels":[]})", "matchLabels must be an object"},
      {R"({"matchLabels":{"a":1}})", "matchLabels[] must be a string"},
      {R"({"matchLabels":{"a b":"1"}})",
       std::string("key: Invalid value: \"a b\": name part ") + kKeyForm},
      {R"({"matchLabels":{"a":"-"}})",
       std::string("values[0][a]: Invalid value: \"-\": ") + kValueForm},
      {R"({"matchExpressions":{}})", "matchExpressions must be an array"},
      {R"({"matchExpressions":[1]})", "matchExpressions[] must be an object"},
      {R"({"matchExpressions":[{}]})", "\"\" is not a valid label selector operator"},
      {R"({"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]})",
       "\"Gt\" is not a valid label selector operator"},
      {R"({"matchExpressions":[{"key":"a","operator":"In"}]})",
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":"x"}]})",
       "values must be an array"},
      {R"({"matchExpressions":[{"key":"a","operator":"In","values":[1]}]})",
       "values[] must be a string"},
      {R"({"matchExpressions":[{"key":"a","operator":"Exists","values":["x<"]}]})",
       std::string("[values: Invalid value: [\"x\\u003c\"]: values set must be empty for exists "
                   "and does not exist, "
                   "values[0][a]: Invalid value: \"x<\": ") +
           kValueForm + "]"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.json);
    EXPECT_THAT(FromJson(row.json),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.message)));
  }
}

}  // namespace
}  // namespace steward::kube

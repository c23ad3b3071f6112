#include "base/json/json_text.h"

#include <boost/json/parse.hpp>
#include <cmath>
#include <limits>

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

TEST(AppendJsonStringTest, EscapesAsGoDoes) {
  const struct {
    const char* name;
    std::string in;
    std::string plain;
    std::string html;
  } rows[] = {
      {"empty", "", R"("")", R"("")"},
      {"ascii", "a b/c", R"("a b/c")", R"("a b/c")"},
      {"quote and backslash", R"(a"b\c)", R"("a\"b\\c")", R"("a\"b\\c")"},
      {"short escapes", "\b\f\n\r\t", R"("\b\f\n\r\t")", R"("\b\f\n\r\t")"},
      {"control", std::string("\0\x1f\x7f", 3), "\"\\u0000\\u001f\x7f\"", "\"\\u0000\\u001f\x7f\""},
      {"markup", "<a>&", R"("<a>&")", R"("\u003ca\u003e\u0026")"},
      {"utf-8", "é😀", R"("é😀")", R"("é😀")"},
      {"line separators", "\u2028\u2029", R"("\u2028\u2029")", R"("\u2028\u2029")"},
      {"broken utf-8", "a\xff\xc3(", R"("a\ufffd\ufffd(")", R"("a\ufffd\ufffd(")"},
      {"surrogate", "\xed\xa0\x80", R"("\ufffd\ufffd\ufffd")", R"("\ufffd\ufffd\ufffd")"},
      {"overlong", "\xc0\xaf", R"("\ufffd\ufffd")", R"("\ufffd\ufffd")"},
      {"cut off", "\xf0\x9f\x98", R"("\ufffd\ufffd\ufffd")", R"("\ufffd\ufffd\ufffd")"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    std::string plain = "x", html;
    AppendJsonString(row.in, plain);
    AppendHtmlSafeJsonString(row.in, html);
    EXPECT_EQ(plain, "x" + row.plain);
    EXPECT_EQ(html, row.html);
  }
}

// Eight bytes are looked at together, wherever one of them is to be escaped.
TEST(AppendJsonStringTest, EscapesAnyByteAtAnyPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string alone, html_alone;
    const std::string text(1, static_cast<char>(byte));
    AppendJsonString(text, alone);
    AppendHtmlSafeJsonString(text, html_alone);
    for (size_t place = 0; place < 24; ++place) {
      const std::string before(place, 'b'), after(24 - place, '!');
      std::string plain, html;
      AppendJsonString(before + text + after, plain);
      AppendHtmlSafeJsonString(before + text + after, html);
      EXPECT_EQ(plain, "\"" + before + alone.substr(1, alone.size() - 2) + after + "\"");
      EXPECT_EQ(html, "\"" + before + html_alone.substr(1, html_alone.size() - 2) + after + "\"");
    }
  }
}

TEST(AppendJsonDoubleTest, ReadsBackAsTheSameFloat) {
  const struct {
    double value;
    const char* text;
  } rows[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {0.1, "0.1"},
      {-1.5, "-1.5"},
      {1e20, "100000000000000000000.0"},
      {1e21, "1.0e+21"},
      {1.25e-7, "1.25e-07"},
      {1e-6, "0.000001"},
      {5e-324, "5.0e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {std::nan(""), "null"},
      {std::numeric_limits<double>::infinity(), "null"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    std::string out;
    AppendJsonDouble(row.value, out);
    EXPECT_EQ(out, row.text);
    if (!std::isfinite(row.value)) continue;
    ASSERT_OK_AND_ASSIGN(const boost::json::value back, ParseJson(out));
    EXPECT_EQ(back, boost::json::value(row.value));
  }
}

TEST(ParseJsonTest, Values) {
  const struct {
    const char* text;
    const char* minified;
  } rows[] = {
      {"null", "null"},
      {" true ", "true"},
      {"[1, -2 ,18446744073709551615,9223372036854775808]",
       "[1,-2,18446744073709551615,9223372036854775808]"},
      {"18446744073709551616", "18446744073709551616.0"},
      {"0.3000000000000000166533453694", "0.30000000000000004"},
      {"1e-400", "0.0"},
      {R"({"b":{"x":[]},"a":{}})", R"({"b":{"x":[]},"a":{}})"},
      {R"("A\n\ud83d\ude00")", R"("A\n😀")"},
      {R"({"a":1,"a":2})", R"({"a":2})"},
      {R"({"k\u0065y":"v\u0061l"})", R"({"key":"val"})"},
      {R"([{"a":[{"b":null}]}, "tail"])", R"([{"a":[{"b":null}]},"tail"])"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const boost::json::value value, ParseJson(row.text));
    EXPECT_EQ(Serialize(value), row.minified);
  }
}

TEST(ParseJsonTest, Errors) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"", "line 1, column 1"},
      {"{", "incomplete"},
      {"{} {}", "extra data"},
      {"[1,]", "line 1, column 4"},
      {"{\n  \"a\": x\n}", "line 2, column 8"},
      {"\"\xff\"", "line 1"},
      {"\"\n\"", "line 1"},
      {"1e400", "exponent"},
      {"nul", "incomplete"},
      {"[01]", "line 1, column 3"},
      {"// c\n1", "line 1, column 1"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_THAT(ParseJson(row.text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.message)));
  }
}

TEST(ParseJsonTest, Limits) {
  const std::string deep = std::string(300, '[') + std::string(300, ']');
  EXPECT_THAT(ParseJson(deep), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("deep")));
  EXPECT_OK(ParseJson(deep, {.max_depth = 300}));
  EXPECT_THAT(ParseJson(deep, {.max_depth = 299}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseJson("[1]", {.max_size = 2}), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_OK(ParseJson("[1]", {.max_size = 3}));
}

TEST(ParseJsonTest, DuplicateKeysCanBeRefused) {
  const JsonLimits strict{.refuse_duplicate_keys = true};
  EXPECT_THAT(
      ParseJson("{\"a\":1,\n\"b\":{\"c\":1,\"c\":2}}", strict),
      StatusIs(absl::StatusCode::kInvalidArgument, "line 2, column 14: duplicate key \"c\""));
  EXPECT_THAT(ParseJson(R"({"":1,"":2})", strict),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("duplicate key \"\"")));
  EXPECT_OK(ParseJson(R"({"a":{"a":1},"b":{"a":1}})", strict));
}

TEST(CompactJsonTest, DropsOnlyWhiteSpaceBetweenTokens) {
  const struct {
    const char* text;
    const char* compact;
  } rows[] = {
      {"", ""},
      {" {\n \"a b\" :\t[ 1.50 , \"x \\\" y\" ] }\r\n", R"({"a b":[1.50,"x \" y"]})"},
      {R"({"a":"é\u00e9 "})", R"({"a":"é\u00e9 "})"},
      {R"(["\\", "\\\"" , 1])", R"(["\\","\\\"",1])"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    std::string out = "kept ";
    EXPECT_OK(CompactJson(row.text, out));
    EXPECT_EQ(out, std::string("kept ") + row.compact);
  }
  std::string out = "kept";
  EXPECT_THAT(CompactJson("[\"a", out), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(out, "kept");
}

TEST(IndentJsonTest, LaysOutAsGoDoes) {
  const struct {
    const char* text;
    const char* indented;
  } rows[] = {
      {"", ""},
      {"1", "1"},
      {"{}", "{}"},
      {" [ ] ", "[]"},
      {R"({"a":{},"b":[]})", "{\n  \"a\": {},\n  \"b\": []\n}"},
      {R"({"a":[1,{"x":"a,b:{}\""}],"c":null})",
       "{\n  \"a\": [\n    1,\n    {\n      \"x\": \"a,b:{}\\\"\"\n    }\n  ],\n  \"c\": null\n}"},
      {"{\n\"a\" :\t1\n}", "{\n  \"a\": 1\n}"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(IndentJson(row.text), row.indented);
  }
}

TEST(IndentJsonTest, SurvivesWhatIsNoJson) {
  for (const char* text : {"]", "}}", "\"open", "\"\\", "[", "{{{", ",,:"}) {
    SCOPED_TRACE(text);
    IndentJson(text);
  }
}

}  // namespace
}  // namespace steward

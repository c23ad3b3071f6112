#include "base/yaml/scalar.h"

#include <boost/json/parse.hpp>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::yaml {
namespace {

using ::testing::HasSubstr;

// The value that Kubernetes (sigs.k8s.io/yaml 1.6) reads from each text, except for the spelling of
// floats.
TEST(ResolvePlainTest, AsKubernetes) {
  const struct {
    const char* text;
    const char* json;
  } rows[] = {
      {"", "null"},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"NULL", "null"},
      {"nULL", R"("nULL")"},
      {"true", "true"},
      {"TRUE", "true"},
      {"tRUE", R"("tRUE")"},
      {"y", "true"},
      {"Y", "true"},
      {"yes", "true"},
      {"yEs", R"("yEs")"},
      {"on", "true"},
      {"n", "false"},
      {"No", "false"},
      {"off", "false"},
      {"OFF", "false"},
      {"0", "0"},
      {"-0", "0"},
      {"+1", "1"},
      {"-12", "-12"},
      {"014", "12"},
      {"0o14", "12"},
      {"0O14", "12"},
      {"-0o7", "-7"},
      {"08", "8.0"},
      {"0x1F", "31"},
      {"0X1f", "31"},
      {"-0x10", "-16"},
      {"0b11", "3"},
      {"-0b11", "-3"},
      {"1_000", "1000"},
      {"0x_1F", "31"},
      {"_1", R"("_1")"},
      {"0x", R"("0x")"},
      {"0b2", R"("0b2")"},
      {"-", R"("-")"},
      {"+", R"("+")"},
      {".", R"(".")"},
      {"..", R"("..")"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854775808.0"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616.0"},
      {"1.5", "1.5"},
      {"5.", "5.0"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {"1e3", "1000.0"},
      {"1.5E-3", "0.0015"},
      {"1e400", R"("1e400")"},
      {"1e-400", "0.0"},
      {"1e", R"("1e")"},
      {".e3", R"(".e3")"},
      {"1.2.3", R"("1.2.3")"},
      {"1:20", R"("1:20")"},
      {"2001-01-01", R"("2001-01-01")"},
      {"2001-01-01T00:00:00Z", R"("2001-01-01T00:00:00Z")"},
      {"=", R"("=")"},
      {"text", R"("text")"},
      {"é", R"("é")"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const boost::json::value value, ResolvePlain(row.text));
    EXPECT_EQ(Serialize(value), row.json);
  }
  for (const char* text : {".nan", ".NaN", ".inf", "-.Inf", "+.INF"}) {
    EXPECT_THAT(ResolvePlain(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no JSON form")))
        << text;
  }
}

TEST(ResolveTaggedTest, Table) {
  const struct {
    const char* tag;
    const char* text;
    const char* json;  // null = an error
  } rows[] = {
      {"str", "1", R"("1")"},
      {"str", "", R"("")"},
      {"int", "5", "5"},
      {"int", "5.0", nullptr},
      {"int", "x", nullptr},
      {"float", "5", "5.0"},
      {"float", "5.5", "5.5"},
      {"float", "x", nullptr},
      {"float", ".inf", nullptr},
      {"bool", "yes", "true"},
      {"bool", "x", nullptr},
      {"null", "", "null"},
      {"null", "x", nullptr},
      {"timestamp", "2001-01-01", R"("2001-01-01")"},
      {"timestamp", "x", nullptr},
      {"binary", "aGVs\nbG8=", R"("hello")"},
      {"binary", "%%", nullptr},
      {"binary", "/w==", nullptr},
      {"something", "5", R"("5")"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.tag) + " " + row.text);
    const absl::StatusOr<boost::json::value> value =
        ResolveTagged(std::string("tag:yaml.org,2002:") + row.tag, row.text);
    if (row.json == nullptr) {
      EXPECT_THAT(value, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      ASSERT_OK(value);
      EXPECT_EQ(Serialize(*value), row.json);
    }
  }
  ASSERT_OK_AND_ASSIGN(const boost::json::value custom, ResolveTagged("!foo", "12"));
  EXPECT_EQ(Serialize(custom), R"("12")");
}

TEST(CouldBeOtherThanStringTest, Table) {
  for (const char* text : {"",
                           "~",
                           "null",
                           "NULL",
                           "nUlL",
                           "y",
                           "N",
                           "yes",
                           "No",
                           "oN",
                           "OFF",
                           "true",
                           "False",
                           "0",
                           "-1",
                           "+1",
                           "1_000",
                           "1,000",
                           "0x1F",
                           "0o17",
                           "017",
                           "08",
                           "0b1",
                           "1.5",
                           ".5",
                           "5.",
                           "+.5",
                           "1e3",
                           "1E+3",
                           "1.5e-3",
                           "-_0x1f",
                           "0_x1F",
                           "1:20",
                           "-1:20",
                           "08:30:00",
                           "1:20.5",
                           ".inf",
                           "-.INF",
                           "+.Inf",
                           ".NaN",
                           "2001-01-01",
                           "2001-1-1",
                           "2001-01-01T00:00:00Z",
                           "2001-01-01 1:2:3",
                           "=",
                           "<<",
                           ".",
                           "1e400"}) {
    EXPECT_TRUE(CouldBeOtherThanString(text)) << text;
  }
  for (const char* text : {"a",    "yess",    "nullable",    "true!",    "1.2.3", "v1",    "1a",
                           "0xfg", "-",       "+",           "--",       "1e",    "1e+x",  "e3",
                           "_1",   "2001-01", "2001-01-011", "10.0.0.1", "1/2",   "inf",   "nan",
                           "é",    "..",      "<",           "==",       "1 2",   "100Mi", "5m"}) {
    EXPECT_FALSE(CouldBeOtherThanString(text)) << text;
  }
}

}  // namespace
}  // namespace steward::yaml

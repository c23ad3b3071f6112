#include "olm/config/olm_config.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

TEST(OlmConfigTest, R_004_24_BothSpellings) {
  struct Case {
    const char* name;
    const char* features;
    std::optional<bool> want;
  };
  for (const Case& c : {
           Case{"nothing", "{}", std::nullopt},
           Case{"OLM's", R"({"disableCopiedCSVs":true})", true},
           Case{"the seed's", R"({"disable-copied-csvs":true})", true},
           Case{"false", R"({"disableCopiedCSVs":false})", false},
           Case{"OLM's counts", R"({"disable-copied-csvs":true,"disableCopiedCSVs":false})", false},
           Case{"null is none", R"({"disable-copied-csvs":true,"disableCopiedCSVs":null})", true},
       }) {
    SCOPED_TRACE(c.name);
    const json::value config = {{"metadata", {{"name", "cluster"}}},
                                {"spec", {{"features", json::parse(c.features)}}}};
    EXPECT_THAT(DisablesCopies(config.get_object()), IsOkAndHolds(c.want));
  }
  EXPECT_THAT(DisablesCopies({}), IsOkAndHolds(std::nullopt));
}

TEST(OlmConfigTest, WhatIsNoTruthValueIsNoWord) {
  for (const char* features : {R"({"disableCopiedCSVs":"true"})", R"({"disableCopiedCSVs":1})",
                               R"({"disable-copied-csvs":{}})",
                               R"({"disableCopiedCSVs":[],"disable-copied-csvs":true})"}) {
    const json::value config = {{"spec", {{"features", json::parse(features)}}}};
    EXPECT_THAT(DisablesCopies(config.get_object()), StatusIs(absl::StatusCode::kInvalidArgument))
        << features;
  }
}

TEST(OlmConfigTest, ReadsObjects) {
  const auto word =
      ReadOlmConfig(R"({"metadata":{"name":"x"},"spec":{"features":{"disableCopiedCSVs":true}}})");
  ASSERT_TRUE(word.ok()) << word.status();
  EXPECT_EQ(word->name, "x");
  EXPECT_THAT(word->disables_copies, IsOkAndHolds(std::optional<bool>(true)));
  for (const char* text :
       {"", "7", "[]", "{}", R"({"metadata":{}})", R"({"metadata":{"name":1}})"}) {
    EXPECT_THAT(ReadOlmConfig(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(OlmConfigTest, ConditionsAreInOlmsWords) {
  struct Case {
    CopiesState state;
    const char* want;
  };
  for (const Case& c : {
           Case{{.disabled = false, .differs = false},
                "False CopiedCSVsEnabled Copied CSVs are enabled and present across the cluster"},
           Case{{.disabled = false, .differs = true},
                "False CopiedCSVsEnabled Copied CSVs are enabled and at least one copied CSVs is "
                "missing"},
           Case{{.disabled = true, .differs = true},
                "False CopiedCSVsDisabled Copied CSVs are disabled and at least one unexpected "
                "copied CSV was found for an operator installed in AllNamespace mode"},
           Case{{.disabled = true, .differs = true, .unexplained = true},
                "False CopiedCSVsDisabled Copied CSVs are disabled and at least one unexpected "
                "copied CSV was found for an operator installed in AllNamespace mode"},
           Case{{.disabled = true, .differs = false, .unexplained = true},
                "False CopiedCSVsDisabled Copied CSVs are disabled and at least one copied CSV is "
                "left of which it is not known whether its operator is installed in AllNamespace "
                "mode: the operator is gone, or its namespace has not exactly one valid "
                "OperatorGroup"},
           Case{{.disabled = true, .differs = false},
                "True CopiedCSVsDisabled Copied CSVs are disabled and no unexpected copied CSVs "
                "were found for operators installed in AllNamespace mode"},
       }) {
    json::object config;
    ASSERT_TRUE(SetCopiesCondition(c.state, "T1", config));
    const json::object& condition = config.at("status").at("conditions").at(0).as_object();
    EXPECT_EQ(condition.at("type"), "DisabledCopiedCSVs");
    EXPECT_EQ(std::string(condition.at("status").as_string()) + " " +
                  std::string(condition.at("reason").as_string()) + " " +
                  std::string(condition.at("message").as_string()),
              c.want);
    EXPECT_EQ(condition.at("lastTransitionTime"), "T1");
    EXPECT_FALSE(SetCopiesCondition(c.state, "T2", config)) << "nothing changed";
  }
}

TEST(OlmConfigTest, TheTimeIsThatOfTheLastFlip) {
  json::object config =
      json::parse(R"({"status":{"conditions":[{"type":"Other"},7]}})").as_object();
  ASSERT_TRUE(SetCopiesCondition({.disabled = true, .differs = true}, "T1", config));
  const auto time = [&config] {
    return std::string(
        config.at("status").at("conditions").at(2).at("lastTransitionTime").as_string());
  };
  EXPECT_EQ(time(), "T1");
  ASSERT_TRUE(SetCopiesCondition({.disabled = true, .differs = false}, "T2", config));
  EXPECT_EQ(time(), "T2") << "False became True";
  ASSERT_TRUE(SetCopiesCondition({.disabled = false, .differs = true}, "T3", config));
  EXPECT_EQ(time(), "T3");
  ASSERT_TRUE(SetCopiesCondition({.disabled = false, .differs = false}, "T4", config));
  EXPECT_EQ(time(), "T3") << "False stayed False";
  EXPECT_EQ(config.at("status").at("conditions").as_array().size(), 3) << "others stay";
}

TEST(OlmConfigTest, AStatusOfAnotherShapeIsReplaced) {
  for (const char* text : {R"({"status":7})", R"({"status":{"conditions":"no"}})"}) {
    json::object config = json::parse(text).as_object();
    EXPECT_TRUE(SetCopiesCondition({}, "T", config));
    EXPECT_EQ(config.at("status").at("conditions").as_array().size(), 1) << text;
  }
}

}  // namespace
}  // namespace steward::olm

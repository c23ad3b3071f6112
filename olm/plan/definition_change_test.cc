#include "olm/plan/definition_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;

boost::json::object Text(const std::string& versions, const std::string& more = "") {
  return boost::json::parse(
             StrCat(
                 R"({"metadata":{"name":"reeds.a.b"},"spec":{"group":"a.b","scope":"Namespaced",)",
                 R"("names":{"plural":"reeds","kind":"Reed"},"versions":[)", versions, "]}", more,
                 "}"))
      .as_object();
}
std::string Version(const char* name, bool served, bool storage) {
  return StrCat(R"({"name":")", name, R"(","served":)", served ? "true" : "false", R"(,"storage":)",
                storage ? "true" : "false", "}");
}

TEST(DefinitionChangeTest, ADefinitionIsRead) {
  ASSERT_OK_AND_ASSIGN(
      const Definition definition,
      ReadDefinition(Text(StrCat(Version("v1", true, true), ",", Version("v2", false, false)),
                          R"(,"status":{"storedVersions":["v1"]})")));
  EXPECT_EQ(definition.plural, "reeds");
  EXPECT_TRUE(definition.namespaced);
  EXPECT_EQ(definition.storage, "v1");
  EXPECT_THAT(definition.versions, ElementsAre("v1", "v2"));
  EXPECT_TRUE(definition.Serves({"a.b", "v1", "Reed"}));
  EXPECT_FALSE(definition.Serves({"a.b", "v2", "Reed"}));
  EXPECT_FALSE(definition.Serves({"a.c", "v1", "Reed"}));
  for (const char* bad :
       {"{}", R"({"metadata":{"name":"x"}})", R"({"metadata":{"name":"x"},"spec":{"group":"a.b"}})",
        R"({"metadata":{"name":"x"},"spec":{"group":"a.b","names":)"
        R"({"plural":"x","kind":"X"},"versions":[]}})"}) {
    EXPECT_FALSE(ReadDefinition(boost::json::parse(bad).as_object()).ok()) << bad;
  }
}

struct ChangeCase {
  const char* name;
  std::string wanted;
  bool refused;
  std::vector<std::string> go;
};

TEST(DefinitionChangeTest, VersionsThatGo) {
  ASSERT_OK_AND_ASSIGN(
      const Definition live,
      ReadDefinition(Text(StrCat(Version("v1", true, true), ",", Version("v1beta1", true, false)),
                          R"(,"status":{"storedVersions":["v1"]})")));
  for (const ChangeCase& tc : std::vector<ChangeCase>{
           {"the same",
            StrCat(Version("v1", true, true), ",", Version("v1beta1", true, false)),
            false,
            {}},
           {"one that is not stored", Version("v1", true, true), false, {"v1beta1"}},
           {"one is served no more",
            StrCat(Version("v1", false, false), ",", Version("v2", true, true)),
            false,
            {"v1", "v1beta1"}},
           {"one that is stored", Version("v1beta1", true, true), true, {"v1"}}}) {
    SCOPED_TRACE(tc.name);
    ASSERT_OK_AND_ASSIGN(const Definition wanted, ReadDefinition(Text(tc.wanted)));
    const DefinitionChange change = CompareDefinitions(live, wanted);
    EXPECT_EQ(!change.refused.empty(), tc.refused);
    EXPECT_EQ(change.versions_that_go, tc.go);
  }
}

TEST(DefinitionChangeTest, WhatNobodyMayChange) {
  ASSERT_OK_AND_ASSIGN(const Definition live, ReadDefinition(Text(Version("v1", true, true))));
  boost::json::object text = Text(Version("v1", true, true));
  text["spec"].as_object()["scope"] = "Cluster";
  ASSERT_OK_AND_ASSIGN(const Definition wanted, ReadDefinition(text));
  EXPECT_EQ(CompareDefinitions(live, wanted).refused,
            "spec.scope: it is Namespaced, and cannot become Cluster");
}

TEST(DefinitionChangeTest, TheSameSpec) {
  const boost::json::object text = Text(Version("v1", true, true));
  boost::json::object live = text;
  boost::json::object& spec = live["spec"].as_object();
  spec["conversion"] = {{"strategy", "None"}};
  spec["names"].as_object()["listKind"] = "ReedList";
  spec["names"].as_object()["singular"] = "reed";
  EXPECT_TRUE(HasSameSpec(live, text));
  EXPECT_FALSE(HasSameSpec(live, Text(Version("v2", true, true))));
}

struct ConversionCase {
  const char* live;  // the clientConfig; "" = none
  const char* wanted;
  const char* ns;
  bool refused;
};

TEST(DefinitionChangeTest, Conversions) {
  constexpr char kUrl[] = R"({"url":"https://elsewhere.example"})";
  constexpr char kOwn[] = R"({"service":{"namespace":"ops","name":"a"}})";
  constexpr char kOwnPort[] = R"({"service":{"namespace":"ops","name":"a","port":443}})";
  constexpr char kOther[] = R"({"service":{"namespace":"bank","name":"a"}})";
  const auto with = [](const std::string& config) {
    boost::json::object text = Text(Version("v1", true, true));
    if (config.empty()) return text;
    text["spec"].as_object()["conversion"] = boost::json::parse(
        StrCat(R"({"strategy":"Webhook","webhook":{"clientConfig":)", config, "}}"));
    return text;
  };
  for (const ConversionCase& tc : std::vector<ConversionCase>{{"", "", "ops", false},
                                                              {"", kUrl, "", true},
                                                              {"", kUrl, "ops", true},
                                                              {kUrl, kUrl, "ops", false},
                                                              {kOwn, kUrl, "", true},
                                                              {"", kOwn, "ops", false},
                                                              {"", kOther, "ops", true},
                                                              {"", kOther, "", false},
                                                              {kOther, kOther, "ops", false},
                                                              {kOwnPort, kOwn, "other", false},
                                                              {kUrl, "", "ops", false}}) {
    const boost::json::object live = with(tc.live);
    const std::string problem = ConversionProblem(&live, with(tc.wanted), tc.ns);
    EXPECT_EQ(!problem.empty(), tc.refused) << tc.live << " " << tc.wanted << ": " << problem;
  }
  EXPECT_NE(ConversionProblem(nullptr, with(kUrl), ""), "");
}

TEST(DefinitionChangeTest, Established) {
  const auto with = [](const std::string& established, const std::string& accepted) {
    return Text(
        Version("v1", true, true),
        StrCat(R"(,"status":{"conditions":[{"type":"Established","status":")", established,
               R"("},{"type":"NamesAccepted","status":")", accepted, R"(","message":"taken"}]})"));
  };
  std::string refused;
  EXPECT_TRUE(IsEstablished(with("True", "True"), &refused));
  EXPECT_EQ(refused, "");
  EXPECT_FALSE(IsEstablished(with("True", "False"), &refused));
  EXPECT_EQ(refused, "taken");
  EXPECT_FALSE(IsEstablished(with("False", "True"), &refused));
  EXPECT_FALSE(IsEstablished(Text(Version("v1", true, true)), &refused));
  EXPECT_EQ(refused, "");
}

}  // namespace
}  // namespace steward::olm

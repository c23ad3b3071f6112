#include "olm/copied_rbac/policy_rule.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>

namespace steward::olm {
namespace {

namespace json = boost::json;

PolicyRules Rules(const std::string& text) { return ReadPolicyRules(json::parse(text).as_array()); }

// `names` and `verbs`: "" = none.
std::string Rule(const std::string& resources, const std::string& verbs,
                 const std::string& names = "") {
  std::string rule = R"({"apiGroups":[""])";
  if (!names.empty()) rule += R"(,"resourceNames":[)" + names + "]";
  return rule + R"(,"resources":[)" + resources + R"(],"verbs":[)" + verbs + "]}";
}

TEST(PolicyRuleTest, OnlyRulesAboutResourcesAreRead) {
  const std::string good = Rule(R"("pods")", R"("get")", R"("a")");
  const PolicyRules rules =
      Rules("[" + good + R"(,1,{},{"nonResourceURLs":["/"],"verbs":["get"]},{"apiGroups":"x"}])");
  EXPECT_EQ(json::serialize(ToJson(rules)), "[" + good + "]");
}

TEST(PolicyRuleTest, WhatIsAskedForIsLeft) {
  const std::string get = R"("get")", both = R"("get","list")", all = R"("*")";
  const std::string secrets = R"("secrets")", pods = R"("pods")";
  const struct {
    const char* what;
    std::string rules, asked, left;
  } rows[] = {
      {"the same", Rule(secrets, both), Rule(secrets, both), Rule(secrets, both)},
      {"less", Rule(secrets, get), Rule(secrets, both), Rule(secrets, get)},
      {"another order", Rule(secrets, R"("list","get")"), Rule(secrets, both),
       Rule(secrets, R"("list","get")")},
      {"more verbs", Rule(secrets, all), Rule(secrets, get), Rule(secrets, get)},
      {"more resources", Rule(all, get), Rule(secrets, get), Rule(secrets, get)},
      {"other resources", Rule(pods, get), Rule(secrets, get), ""},
      {"all are asked for", Rule(pods, get), Rule(all, all), Rule(pods, get)},
      {"a subresource", Rule(R"("pods/log")", get), Rule(pods, get), ""},
      {"of all", Rule(R"("pods/scale")", get), Rule(R"("*/scale")", get),
       Rule(R"("pods/scale")", get)},
      {"any name", Rule(secrets, get), Rule(secrets, get, R"("a")"), Rule(secrets, get, R"("a")")},
      {"a name", Rule(secrets, get, R"("a")"), Rule(secrets, get), Rule(secrets, get, R"("a")")},
      {"another name", Rule(secrets, get, R"("b")"), Rule(secrets, get, R"("a")"), ""},
      {"nothing", Rule(secrets, get), "", ""},
      {"two askings", Rule(R"("secrets","pods")", all),
       Rule(secrets, get) + "," + Rule(pods, R"("list")"),
       Rule(secrets, get) + "," + Rule(pods, R"("list")")},
  };
  for (const auto& row : rows) {
    const PolicyRules rules = Rules("[" + row.rules + "]");
    const PolicyRules asked = Rules("[" + row.asked + "]");
    const PolicyRules left = Within(rules, asked);
    EXPECT_EQ(json::serialize(ToJson(left)), "[" + row.left + "]") << row.what;
    EXPECT_TRUE(Covers(asked, left)) << row.what;
    EXPECT_EQ(Covers(asked, rules), left == rules) << row.what;
  }
}

// Which words stand for others differs by the list that they are in.
TEST(PolicyRuleTest, WordsCoverAsInKubernetes) {
  const struct {
    const char *all, *word;
    bool resource, plain, name;  // plain: a group or a verb
  } rows[] = {
      {"get", "get", true, true, true},
      {"get", "list", false, false, false},
      {"", "", true, true, true},
      {"*", "get", true, true, false},
      {"*", "*", true, true, true},
      {"get", "*", false, false, false},
      {"*", "pods/scale", true, true, false},
      {"*", "*/scale", true, true, false},
      {"*/scale", "*/scale", true, true, true},
      {"*/scale", "pods/scale", true, false, false},
      {"*/scale", "pods", false, false, false},
      {"*/scale", "scale", false, false, false},
      {"*/scale", "*", false, false, false},
      {"*/scale", "pods/upscale", false, false, false},
      {"*/scale", "pods/a/scale", false, false, false},
      {"pods/*", "pods/*", true, true, true},
      {"pods/*", "pods/log", false, false, false},
      {"pods/*", "pods", false, false, false},
      {"pods*", "pods", false, false, false},
  };
  for (const auto& row : rows) {
    const std::string what = std::string(row.all) + " of " + row.word;
    const auto check = [&what](PolicyRule all, PolicyRule some, bool covers) {
      EXPECT_EQ(Covers({all}, some), covers) << what;
      EXPECT_EQ(Within({some}, {all}) == PolicyRules{some}, covers) << what;
      // In either direction the narrower one is left, or nothing.
      EXPECT_EQ(Within({all}, {some}) == PolicyRules{some}, covers) << what;
    };
    const PolicyRule rule = {{"g"}, {"r"}, {"n"}, {"v"}};
    for (auto member :
         {&PolicyRule::groups, &PolicyRule::resources, &PolicyRule::names, &PolicyRule::verbs}) {
      PolicyRule all = rule, some = rule;
      all.*member = {row.all};
      some.*member = {row.word};
      const bool covers = member == &PolicyRule::resources ? row.resource
                          : member == &PolicyRule::names   ? row.name
                                                           : row.plain;
      SCOPED_TRACE(covers);
      check(all, some, covers);
    }
  }
}

}  // namespace
}  // namespace steward::olm

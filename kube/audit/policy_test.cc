#include "kube/audit/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/user_info.h"

namespace steward::audit {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

Policy PolicyOf(const std::string& rest) {
  absl::StatusOr<Policy> policy = Policy::Parse(kHead + rest);
  EXPECT_OK(policy);
  return *std::move(policy);
}

// A policy of one rule, of level Metadata with these lines.
Policy OneRule(const std::string& fields) {
  return PolicyOf("rules:\n- level: Metadata\n" + fields);
}

const kube::UserInfo kAlice{.name = "alice", .groups = {"dev", "system:authenticated"}};

ObjectReference Object(const std::string& resource, const std::string& subresource = "") {
  return {.resource = resource,
          .ns = "shop",
          .name = "w",
          .group = "g",
          .version = "v1",
          .subresource = subresource};
}

// Rows for each of the kube-apiserver's rules (k8s.io/apiserver/pkg/audit/policy/checker.go).
TEST(PolicyTest, ARuleFits) {
  struct Row {
    std::string fields;
    bool object;  // whether the rule fits alice's "get widgets.g w in shop"
    bool sub;     // the same for .../scale
    bool path;    // the same for alice's "get /healthz/ping"
    bool nobody;  // the same path, without authentication
  };
  const Row rows[] = {
      {"", true, true, true, true},
      {"  users: [alice]", true, true, true, false},
      {"  users: [bob]", false, false, false, false},
      {"  userGroups: [x, dev]", true, true, true, false},
      {"  userGroups: [x]", false, false, false, false},
      {"  verbs: [get]", true, true, true, true},
      {"  verbs: [list]", false, false, false, false},
      {"  namespaces: [shop]", true, true, false, false},
      {"  namespaces: [\"\"]", false, false, false, false},
      {"  resources: [{group: g}]", true, true, false, false},
      {"  resources: [{group: \"*\"}]", true, true, false, false},
      {"  resources: [{}]", false, false, false, false},
      {"  resources: [{group: g, resources: [widgets]}]", true, false, false, false},
      {"  resources: [{group: g, resources: [widgets/scale]}]", false, true, false, false},
      {"  resources: [{group: g, resources: [\"*\"]}]", true, true, false, false},
      {"  resources: [{group: g, resources: [\"widgets/*\"]}]", true, true, false, false},
      {"  resources: [{group: g, resources: [\"*/scale\"]}]", false, true, false, false},
      {"  resources: [{group: g, resources: [\"*/*\"]}]", false, false, false, false},
      {"  resources: [{group: g, resources: [gadgets, widgets]}]", true, false, false, false},
      {"  resources: [{group: h, resources: [widgets]}]", false, false, false, false},
      {"  resources: [{group: g, resources: [widgets], resourceNames: [w]}]", true, false, false,
       false},
      {"  resources: [{group: g, resources: [widgets], resourceNames: [v]}]", false, false, false,
       false},
      {"  namespaces: [m]\n  resources: [{group: g}]", false, false, false, false},
      {"  nonResourceURLs: [\"*\"]", false, false, true, true},
      {"  nonResourceURLs: [/healthz/ping]", false, false, true, true},
      {"  nonResourceURLs: [\"/healthz*\"]", false, false, true, true},
      {"  nonResourceURLs: [/healthz]", false, false, false, false},
  };
  const ObjectReference object = Object("widgets");
  const ObjectReference sub = Object("widgets", "scale");
  for (const Row& row : rows) {
    SCOPED_TRACE(row.fields);
    const Policy policy = OneRule(row.fields);
    const auto fits = [&policy](const Attributes& attributes) {
      return policy.Decide(attributes).level == Level::kMetadata;
    };
    EXPECT_EQ(fits({&kAlice, "get", &object, ""}), row.object);
    EXPECT_EQ(fits({&kAlice, "get", &sub, ""}), row.sub);
    EXPECT_EQ(fits({&kAlice, "get", nullptr, "/healthz/ping"}), row.path);
    EXPECT_EQ(fits({nullptr, "get", nullptr, "/healthz/ping"}), row.nobody);
  }
}

TEST(PolicyTest, TheFirstRuleDecides) {
  const Policy policy = PolicyOf(
      "omitStages: [RequestReceived]\n"
      "omitManagedFields: true\n"
      "rules:\n"
      "- {level: None, verbs: [watch]}\n"
      "- {level: Request, verbs: [create], omitStages: [Panic], omitManagedFields: false}\n"
      "- {level: RequestResponse, verbs: [update]}\n"
      "- {level: Metadata, verbs: [create, get]}\n");
  EXPECT_EQ(policy.Decide({.verb = "watch"}).level, Level::kNone);
  EXPECT_EQ(policy.Decide({.verb = "delete"}).level, Level::kNone);
  const PolicyDecision create = policy.Decide({.verb = "create"});
  EXPECT_EQ(create.level, Level::kRequest);
  EXPECT_TRUE(create.Omits(Stage::kRequestReceived));
  EXPECT_TRUE(create.Omits(Stage::kPanic));
  EXPECT_FALSE(create.Omits(Stage::kResponseComplete));
  EXPECT_FALSE(create.omit_managed_fields);
  const PolicyDecision get = policy.Decide({.verb = "get"});
  EXPECT_EQ(get.level, Level::kMetadata);
  EXPECT_FALSE(get.Omits(Stage::kPanic));
  EXPECT_TRUE(get.omit_managed_fields);
  // RequestResponse records the request only.
  EXPECT_TRUE(policy.wants_responses());
  EXPECT_EQ(policy.Decide({.verb = "update"}).level, Level::kRequest);
}

TEST(PolicyTest, MistakesAreNamed) {
  struct Row {
    std::string text;
    std::string why;
  };
  const auto rule = [](const std::string& fields) {
    return StrCat(kHead, "rules:\n- level: None\n- ", fields, "\n");
  };
  const Row rows[] = {
      {"", "must be an object"},
      {"[]", "must be an object"},
      {"a: [", "line "},
      {"kind: Policy\nrules: [{level: None}]", "must be of kind Policy of audit.k8s.io/v1"},
      {"apiVersion: audit.k8s.io/v1beta1\nkind: Policy", "must be of kind Policy"},
      {"apiVersion: audit.k8s.io/v1\nkind: Event", "must be of kind Policy"},
      {kHead, "rules: there must be at least one"},
      {StrCat(kHead, "rules: []"), "rules: there must be at least one"},
      {StrCat(kHead, "rules: {}"), "rules: must be a list"},
      {StrCat(kHead, "rules: [x]"), "rules[0]: must be an object"},
      {StrCat(kHead, "rules: [{level: None}]\nomitstages: []"), "omitstages: unknown field"},
      {StrCat(kHead, "rules: [{level: None}]\nomitStages: [Begun]"),
       "omitStages: \"Begun\" is none of"},
      {rule("{}"), "rules[1].level: must be None, Metadata, Request or RequestResponse"},
      {rule("{level: Everything}"), "rules[1].level: must be"},
      {rule("{level: None, ressources: []}"), "rules[1].ressources: unknown field"},
      {rule("{level: None, users: alice}"), "rules[1].users: must be a list"},
      {rule("{level: None, verbs: [1]}"), "rules[1].verbs: must be a list of strings"},
      {rule("{level: None, omitManagedFields: 1}"), "rules[1].omitManagedFields: must be true"},
      {rule("{level: None, resources: [{group: A/v1}]}"), "rules[1].resources[0].group: \"A/v1\""},
      {rule("{level: None, resources: [{resourceNames: [a]}]}"), "requires at least one resource"},
      {rule("{level: None, resources: [{groups: [a]}]}"), "resources[0].groups: unknown field"},
      {rule("{level: None, nonResourceURLs: [version]}"), "must begin with a '/'"},
      {rule("{level: None, nonResourceURLs: [\"/a*b\"]}"), "must be the final character"},
      {rule("{level: None, nonResourceURLs: [/a], namespaces: [b]}"), "cannot apply to both"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const absl::Status status = Policy::Parse(row.text).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.why));
  }
  EXPECT_THAT(Policy::Parse(std::string(2 << 20, ' ')),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(PolicyTest, NullIsAbsent) {
  const Policy policy = OneRule("  users: null\n  omitStages: null\n");
  EXPECT_EQ(policy.Decide({.verb = "get"}).level, Level::kMetadata);
}

}  // namespace
}  // namespace steward::audit

#include "olm/plan/step_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

const kube::GroupVersionKind kKind = {"m.io", "v1", "Monitor"};
const StepOwner kOwner = {{"ops", "reed.v1"}, "csv-uid"};

json::object Parsed(const std::string& text) { return json::parse(text).as_object(); }

TEST(StepObjectTest, WhatItsAuthorMustNotDecideIsDropped) {
  const json::object manifest = Parsed(R"({
    "apiVersion": "m.io/v1", "kind": "Monitor", "spec": {"a": 1}, "data": {}, "status": {"x": 1},
    "metadata": {"name": "a", "namespace": "elsewhere", "uid": "u", "resourceVersion": "3",
      "finalizers": ["a/b"], "ownerReferences": [{"uid": "x"}], "deletionTimestamp": "t",
      "labels": {"team": "a", "olm.copiedFrom": "x", "olm.owner": "x", "olm.managed": "false",
                 "steward.operatorframework.io/opt-in-confirmed": "x",
                 "steward.operators.coreos.com/aggregate-to-cleanup": "true"},
      "annotations": {"note": "b", "a.steward.operatorframework.io/x": "y",
                      "olm.targetNamespaces": ""}}})");
  ASSERT_OK_AND_ASSIGN(const json::object object, StepObject(manifest, kKind, "ops", kOwner));
  EXPECT_EQ(object, Parsed(R"({"apiVersion": "m.io/v1", "kind": "Monitor", "spec": {"a": 1},
    "data": {}, "metadata": {"name": "a", "namespace": "ops",
      "labels": {"team": "a", "olm.managed": "true"}, "annotations": {"note": "b"},
      "ownerReferences": [{"apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion", "name": "reed.v1", "uid": "csv-uid",
        "controller": false, "blockOwnerDeletion": false}]}})"))
      << Serialize(object);
}

TEST(StepObjectTest, NoDirectivesOfPatches) {
  const json::object manifest = Parsed(R"({"$patch":"replace","metadata":{"name":"a"},"data":{}})");
  ASSERT_OK_AND_ASSIGN(const json::object object, StepObject(manifest, kKind, "ops", kOwner));
  EXPECT_FALSE(object.contains("$patch"));
  EXPECT_TRUE(object.contains("data"));
}

TEST(StepObjectTest, OwnersByLabelsInTheCluster) {
  const json::object manifest = Parsed(R"({"metadata":{"name":"a"}})");
  ASSERT_OK_AND_ASSIGN(const json::object object, StepObject(manifest, kKind, "", kOwner));
  EXPECT_EQ(object.at("metadata"), Parsed(R"({"name":"a","labels":{"olm.managed":"true",
    "olm.owner":"reed.v1","olm.owner.namespace":"ops","olm.owner.kind":"ClusterServiceVersion"}})"));
  ASSERT_OK_AND_ASSIGN(const json::object free, StepObject(manifest, kKind, "", {}));
  EXPECT_EQ(free.at("metadata"), Parsed(R"({"name":"a","labels":{"olm.managed":"true"}})"));
}

TEST(StepObjectTest, AGeneratedNameIsTheSameEachTime) {
  const json::object manifest = Parsed(R"({"metadata":{"generateName":"a-"}})");
  const auto name = [&](const StepOwner& owner) {
    return std::string(
        StepObject(manifest, kKind, "ops", owner)->at("metadata").at("name").as_string());
  };
  EXPECT_THAT(name(kOwner), ::testing::MatchesRegex("a-[0-9a-f]{10}"));
  EXPECT_EQ(name(kOwner), name(kOwner));
  EXPECT_NE(name(kOwner), name({{"ops", "reed.v2"}, "u"}));
}

TEST(StepObjectTest, WhatIsNoObject) {
  for (const char* manifest :
       {"{}", R"({"metadata":1})", R"({"metadata":{}})", R"({"metadata":{"name":"a","labels":[]}})",
        R"({"metadata":{"name":"a","annotations":{"x":1}}})"}) {
    EXPECT_FALSE(StepObject(Parsed(manifest), kKind, "ops", kOwner).ok()) << manifest;
  }
}

TEST(StepObjectTest, RolesOfPermissionsBearTheirOwner) {
  const kube::GroupVersionKind role = {"rbac.authorization.k8s.io", "v1", "Role"};
  constexpr char kTrue[] =
      R"({"metadata":{"name":"a","labels":{"olm.owner":"reed.v1","olm.owner.namespace":"ops",)"
      R"("olm.owner.kind":"ClusterServiceVersion"}}})";
  constexpr char kForged[] =
      R"({"metadata":{"name":"a","labels":{"olm.owner":"reed.v1","olm.owner.namespace":"bank",)"
      R"("olm.owner.kind":"ClusterServiceVersion"}}})";
  for (const auto& [kind, manifest, labelled] :
       std::vector<std::tuple<kube::GroupVersionKind, const char*, bool>>{
           {role, kTrue, true}, {role, kForged, false}, {kKind, kTrue, false}}) {
    ASSERT_OK_AND_ASSIGN(const json::object made,
                         StepObject(Parsed(manifest), kind, "ops", kOwner));
    EXPECT_EQ(made.at("metadata").at("labels").as_object().contains("olm.owner"), labelled)
        << Serialize(made);
  }
}

TEST(StepObjectTest, KeysOfAManifest) {
  const json::object manifest = Parsed(
      R"({"metadata":{"name":"a","annotations":{"operatorframework.io/installed-keys":"x"}},)"
      R"("data":{"b":"MQ==","a":"MQ=="},"stringData":{"c":"2","b":"3"}})");
  ASSERT_OK_AND_ASSIGN(const json::object secret,
                       StepObject(manifest, {"", "v1", "Secret"}, "ops", kOwner));
  EXPECT_EQ(secret.at("data"), Parsed(R"({"a":"MQ==","b":"Mw==","c":"Mg=="})"));
  EXPECT_FALSE(secret.contains("stringData"));
  EXPECT_EQ(ManifestKeys(secret), (std::set<std::string>{"a", "b", "c"}));
  ASSERT_OK_AND_ASSIGN(const json::object other, StepObject(manifest, kKind, "ops", kOwner));
  EXPECT_TRUE(ManifestKeys(other).empty());
}

}  // namespace
}  // namespace steward::olm

#include "olm/plan/step_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
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

TEST(StepObjectTest, Adopt) {
  const json::object live = Parsed(R"({"metadata": {"name": "a", "uid": "u", "generation": 4,
    "resourceVersion": "3", "finalizers": ["x/y"], "labels": {"mine": "1", "both": "old"},
    "ownerReferences": [{"uid": "first"}]}, "spec": {"a": 1, "gone": 1}, "status": {"s": 1}})");
  const json::object wanted = Parsed(R"({"metadata": {"name": "a", "labels": {"both": "new"},
    "annotations": {"n": "1"}, "ownerReferences": [{"uid": "csv"}, {"uid": "first"}]},
    "spec": {"a": 2}})");
  const json::object adopted = Adopt(live, wanted);
  EXPECT_EQ(adopted, Parsed(R"({"metadata": {"name": "a", "uid": "u", "resourceVersion": "3",
    "finalizers": ["x/y"], "labels": {"both": "new", "mine": "1"}, "annotations": {"n": "1"},
    "ownerReferences": [{"uid": "first"}, {"uid": "csv"}]}, "spec": {"a": 2},
    "status": {"s": 1}})"))
      << Serialize(adopted);
  EXPECT_FALSE(IsUnchanged(live, adopted));
  json::object after = adopted;
  after["metadata"].as_object()["generation"] = 5;
  EXPECT_TRUE(IsUnchanged(after, Adopt(after, wanted)));
  after["spec"].as_object()["gone"] = 1;
  EXPECT_FALSE(IsUnchanged(after, Adopt(after, wanted))) << "what is wanted no more goes";
}

TEST(StepObjectTest, ADefinitionKeepsItsConversion) {
  const json::object live =
      Parsed(R"({"metadata":{"name":"a"},"spec":{"conversion":{"strategy":"Webhook"},"old":1}})");
  for (const auto& [wanted, kept] : std::vector<std::pair<const char*, const char*>>{
           {R"({"metadata":{"name":"a"},"spec":{"new":1}})", "Webhook"},
           {R"({"metadata":{"name":"a"},"spec":{"conversion":{"strategy":"None"}}})", "None"}}) {
    const json::object adopted = AdoptDefinition(live, Parsed(wanted));
    EXPECT_EQ(adopted.at("spec").at("conversion").at("strategy"), kept);
    EXPECT_FALSE(adopted.at("spec").as_object().contains("old"));
  }
  EXPECT_FALSE(AdoptDefinition(Parsed(R"({"spec":{}})"), Parsed(R"({"spec":{}})"))
                   .at("spec")
                   .as_object()
                   .contains("conversion"));
}

TEST(StepObjectTest, WhatSomebodyElseMadeIsNotTheOperators) {
  const json::object wanted =
      Parsed(R"({"metadata": {"name": "a", "ownerReferences": [{"uid": "csv"}],
    "labels": {"team": "a", "olm.managed": "true", "olm.owner": "reed.v1"}}})");
  for (const auto& [live, owned] : std::vector<std::pair<const char*, bool>>{
           {R"({"metadata":{"name":"a"}})", false},
           {R"({"metadata":{"name":"a","labels":{"olm.managed":"false"}}})", false},
           {R"({"metadata":{"name":"a","labels":{"olm.managed":"true"}}})", true}}) {
    json::object after = wanted;
    Disown(Parsed(live), after);
    EXPECT_EQ(after, owned ? wanted : Parsed(R"({"metadata":{"name":"a","labels":{"team":"a"}}})"));
  }
}

TEST(StepObjectTest, AServiceAccountKeepsItsSecrets) {
  const json::object live = Parsed(R"({"metadata": {"name": "a"}, "secrets": [{"name": "t"}],
    "imagePullSecrets": [{"name": "p"}]})");
  const json::object adopted = AdoptServiceAccount(
      live, Parsed(R"({"metadata": {"name": "a"}, "imagePullSecrets": [{"name": "q"}]})"));
  EXPECT_EQ(Serialize(adopted.at("secrets")), R"([{"name":"t"}])");
  EXPECT_EQ(Serialize(adopted.at("imagePullSecrets")), R"([{"name":"q"},{"name":"p"}])");
}

}  // namespace
}  // namespace steward::olm

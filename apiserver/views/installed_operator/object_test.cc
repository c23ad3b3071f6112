#include "apiserver/views/installed_operator/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "apiserver/views/testing/test_world.h"
#include "base/json/json_text.h"
#include "olm/decode.h"

namespace steward::views {
namespace {

namespace json = boost::json;

constexpr char kCsv[] = R"({
  "metadata": {"name": "etcd.v1", "namespace": "ops", "uid": "0d8a3f2e-5f0c-4a52-9e6f-0c4f5f6b7a81",
    "creationTimestamp": "2026-01-05T00:00:00Z",
    "deletionTimestamp": "2026-02-05T00:00:00Z",
    "finalizers": ["operatorframework.io/delete-custom-resources"],
    "ownerReferences": [{"uid": "x"}],
    "labels": {"operators.coreos.com/etcd.ops": "", "olm.managed": "true"},
    "annotations": {"olm.targetNamespaces": "red,secret", "olm.operatorGroup": "g"}},
  "spec": {"displayName": "etcd \"x\"", "version": "1.0.0", "replaces": "etcd.v0", "cleanup": {"enabled": true}},
  "status": {"phase": "Succeeded", "reason": "InstallSucceeded", "message": "done",
    "cleanup": {"pendingDeletion": []}, "conditions": [{"phase": "Succeeded"}]}})";

TestWorld Cluster() {
  TestWorld world;
  world.Namespace("ops").Namespace("red", {}, /*day=*/7).CsvJson(kCsv).Group("ops", "g", {"red"});
  return world;
}

json::value Parsed(const std::string& text) { return json::parse(text); }

json::value JsonIn(const TestWorld& world, const char* ns) {
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  Rope out;
  InstalledOperatorObject(*FindAppearance(*snapshot, ns, "etcd.v1")).AppendJson("42", out);
  return Parsed(out.Flatten());
}

// R-004-43: the replacement of a copied CSV. The expected object is written by OLM's rules for a
// copy.
TEST(InstalledOperatorObjectTest, InATargetNamespaceItIsTheCopy) {
  json::value got = JsonIn(Cluster(), "red");
  json::value expected = Parsed(R"({
    "apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "InstalledOperator",
    "metadata": {"name": "etcd.v1", "namespace": "red", "resourceVersion": "42",
      "creationTimestamp": "2026-01-07T00:00:00Z",
      "labels": {"olm.managed": "true", "olm.copiedFrom": "ops"},
      "annotations": {"olm.operatorGroup": "g"}},
    "scope": {"cleanupOptedIn": true, "installMode": "SingleNamespace", "installNamespace": "ops",
      "operatorGroup": "g", "targeted": true},
    "spec": {"displayName": "etcd \"x\"", "version": "1.0.0", "replaces": "etcd.v0", "cleanup": {"enabled": true}},
    "status": {"phase": "Succeeded", "reason": "Copied",
      "message": "The operator is running in ops but is managing this namespace",
      "cleanup": {}, "conditions": [{"phase": "Succeeded"}]}})");
  json::object& metadata = got.as_object()["metadata"].as_object();
  EXPECT_EQ(metadata["uid"].as_string().size(), 36u);
  metadata.erase("uid");
  EXPECT_EQ(got, expected);
}

// Long texts are not copied but shared between answers: the bytes are the same.
TEST(InstalledOperatorObjectTest, LongPartsAreSpliced) {
  const json::string note(5000, 'n');
  json::value csv = Parsed(kCsv);
  csv.as_object()["spec"].as_object()["description"] = note;
  csv.as_object()["metadata"].as_object()["annotations"].as_object()["alm-examples"] = note;
  csv.as_object()["status"].as_object()["conditions"] = json::array{{{"message", note}}};
  TestWorld world;
  world.Namespace("ops").Namespace("red", {}, /*day=*/7).CsvJson(Serialize(csv));
  world.Group("ops", "g", {"red"});
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  for (const char* ns : {"ops", "red"}) {
    Rope out;
    InstalledOperatorObject(*FindAppearance(*snapshot, ns, "etcd.v1")).AppendJson("42", out);
    EXPECT_LT(out.text_size(), 1500u);
    json::value got = Parsed(out.Flatten());
    json::value short_got = JsonIn(Cluster(), ns);
    EXPECT_EQ(got.at("spec"), csv.at("spec"));
    EXPECT_EQ(got.at("metadata").at("annotations").at("alm-examples"), json::value(note));
    EXPECT_EQ(got.at("status").at("conditions"), csv.at("status").at("conditions"));
    // Everything else equals the object with the short parts.
    short_got.as_object()["spec"] = got.at("spec");
    short_got.as_object()["status"].as_object()["conditions"] = got.at("status").at("conditions");
    got.as_object()["metadata"].as_object()["annotations"].as_object().erase("alm-examples");
    EXPECT_EQ(got, short_got);
  }
}

TEST(InstalledOperatorObjectTest, AtHomeItKeepsItsStatus) {
  const json::value got = JsonIn(Cluster(), "ops");
  EXPECT_EQ(got.at("metadata").at("labels"),
            Parsed(R"({"operators.coreos.com/etcd.ops": "", "olm.managed": "true"})"));
  EXPECT_EQ(got.at("metadata").at("annotations"), Parsed(R"({"olm.operatorGroup": "g"})"));
  EXPECT_EQ(got.at("metadata").at("creationTimestamp"), "2026-01-05T00:00:00Z");
  EXPECT_EQ(got.at("status"),
            Parsed(R"({"phase": "Succeeded", "reason": "InstallSucceeded", "message": "done",
                       "cleanup": {}, "conditions": [{"phase": "Succeeded"}]})"));
  EXPECT_EQ(got.at("scope").at("targeted"), false);
}

TEST(InstalledOperatorObjectTest, UidIsOfOperatorAndNamespace) {
  const std::string red(JsonIn(Cluster(), "red").at("metadata").at("uid").as_string());
  const std::string ops(JsonIn(Cluster(), "ops").at("metadata").at("uid").as_string());
  EXPECT_NE(red, ops);
  EXPECT_EQ(red, std::string(JsonIn(Cluster(), "red").at("metadata").at("uid").as_string()));
}

TEST(InstalledOperatorObjectTest, WithoutOneGroupTheScopeSaysSo) {
  TestWorld world = Cluster();
  world.Group("ops", "h", {});
  EXPECT_EQ(JsonIn(world, "ops").at("scope"),
            Parsed(R"({"cleanupOptedIn": true, "installNamespace": "ops", "targeted": false})"));
}

TEST(InstalledOperatorObjectTest, ConflictsAreListed) {
  TestWorld world = Cluster();
  world.Namespace("tools").Csv("tools", "etcd.v1", {.day = 9}).Group("tools", "g", {"red"});
  const json::value conflicts = JsonIn(world, "red").at("scope").at("conflicts");
  ASSERT_EQ(conflicts.as_array().size(), 1u);
  EXPECT_EQ(conflicts.at(0).at("type"), "NameCollision");
  EXPECT_EQ(conflicts.at(0).at("installNamespace"), "tools");
}

TEST(InstalledOperatorObjectTest, MetadataAloneIsTheMetadataOfTheWhole) {
  const TestWorld world = Cluster();
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  for (const char* ns : {"red", "ops"}) {
    Rope out;
    InstalledOperatorObject(*FindAppearance(*snapshot, ns, "etcd.v1")).AppendMetadata("42", out);
    EXPECT_EQ(Parsed(out.Flatten()), JsonIn(world, ns).at("metadata"));
  }
}

TEST(InstalledOperatorObjectTest, NothingToShowIsLeftOut) {
  TestWorld world;
  world.Namespace("ops").CsvJson(R"({"metadata":{"name":"etcd.v1","namespace":"ops","uid":"u"}})");
  const json::value got = JsonIn(world, "ops");
  EXPECT_FALSE(got.at("metadata").as_object().contains("labels"));
  EXPECT_FALSE(got.at("metadata").as_object().contains("annotations"));
  EXPECT_EQ(got.at("status"), Parsed("{}"));
  EXPECT_EQ(got.at("spec"), Parsed("{}"));
}

TEST(InstalledOperatorObjectTest, CellsFitTheColumns) {
  const TestWorld world = Cluster();
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  std::string out;
  InstalledOperatorObject(*FindAppearance(*snapshot, "red", "etcd.v1")).AppendCells(out);
  EXPECT_EQ(Parsed(out), Parsed(R"(["etcd.v1", "etcd \"x\"", "1.0.0", "", "etcd.v0", "Succeeded",
                                   "ops", "SingleNamespace"])"));
  EXPECT_EQ(Parsed(out).as_array().size(), InstalledOperatorColumns().size());
}

}  // namespace
}  // namespace steward::views

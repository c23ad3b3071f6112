#include "apiserver/views/cleanup_status/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/splice/rope.h"
#include "kube/meta/time.h"
#include "olm/cleanup/outlook.h"

namespace steward::views {
namespace {

namespace json = boost::json;

olm::CleanupOutlook Everything() {
  olm::CleanupOutlook outlook;
  outlook.key = {"ops", "widget.v1"};
  outlook.csv_uid = "0d8a3f2e-5f0c-4a52-9e6f-0c4f5f6b7a81";
  outlook.created = "2026-01-05T00:00:00Z";
  outlook.labels = {{"color", "red"}};
  outlook.enabled = outlook.opted_in = true;
  outlook.phase = olm::CleanupPhase::kDraining;
  outlook.blockers = {{olm::CleanupReason::kSharedOwner,
                       "other operators own the same \"definitions\"",
                       {"opsx/other.v1", "ops/here.v1", "widgets.example.com", "secret/other.v1"}},
                      {olm::CleanupReason::kRequiredByOther, "required", {"secret/other.v1"}}};
  outlook.targets = olm::TargetSet::Of({"b", "a"});
  outlook.resources = {{"example.com", "Widget", "widgets"}};
  outlook.pending = {{"example.com", "Widget", "", "all"},
                     {"example.com", "Widget", "ops", "mine"},
                     {"example.com", "Widget", "secret", "theirs"},
                     {"example.com", "Gone", "ops", "mine"}};
  outlook.pending_count = 250;
  outlook.started_at = "2026-01-06T00:00:00Z";
  outlook.stalled_since = "2026-01-07T00:00:00Z";
  outlook.conditions = {
      {"Deleting", "WaitingOnCleanup", "waiting", "2026-01-08T00:00:00Z", "2026-01-07T00:00:00Z"}};
  return outlook;
}

class CleanupStatusObjectTest : public ::testing::Test {
 protected:
  CleanupStatusObject Object(const olm::CleanupOutlook& outlook) {
    return {std::make_shared<const olm::CleanupOutlook>(outlook), clock_};
  }
  static std::string TextOf(const rest::Object& object) {
    Rope out;
    object.AppendJson("42", out);
    return out.Flatten();
  }

  FakeClock clock_{*kube::ParseRfc3339("2026-01-09T06:00:00Z")};
};

// R-000-48: the seed's flat shape. Objects elsewhere are counted.
TEST_F(CleanupStatusObjectTest, Json) {
  json::value got = json::parse(TextOf(Object(Everything())));
  json::value expected = json::parse(R"({
    "apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "CleanupStatus",
    "metadata": {"name": "widget.v1", "namespace": "ops", "resourceVersion": "42",
      "creationTimestamp": "2026-01-05T00:00:00Z", "labels": {"color": "red"}},
    "status": {"enabled": true, "optedIn": true, "phase": "Draining",
      "blockers": [
        {"reason": "SharedOwner", "message": "other operators own the same \"definitions\"",
         "objects": ["ops/here.v1", "widgets.example.com"], "objectsElsewhere": 2},
        {"reason": "RequiredByOther", "message": "required", "objectsElsewhere": 1}],
      "targetNamespaces": ["a", "b"],
      "resources": [{"group": "example.com", "kind": "Widget", "plural": "widgets"}],
      "pendingDeletion": [
        {"resource": "widgets.example.com", "kind": "Widget", "name": "all"},
        {"resource": "widgets.example.com", "kind": "Widget", "name": "mine", "namespace": "ops"},
        {"kind": "Gone", "name": "mine", "namespace": "ops"}],
      "pendingElsewhere": 1, "pendingCount": 250,
      "startedAt": "2026-01-06T00:00:00Z", "stalledSince": "2026-01-07T00:00:00Z",
      "conditions": [{"phase": "Deleting", "reason": "WaitingOnCleanup", "message": "waiting",
        "lastUpdateTime": "2026-01-08T00:00:00Z", "lastTransitionTime": "2026-01-07T00:00:00Z"}]}})");
  const std::string uid(got.at("metadata").at("uid").as_string());
  EXPECT_EQ(uid.size(), 36u);
  EXPECT_NE(uid, Everything().csv_uid);
  expected.at("metadata").as_object()["uid"] = uid;
  EXPECT_EQ(got, expected);
  EXPECT_EQ(TextOf(Object(Everything())).find("secret"), std::string::npos);
}

TEST_F(CleanupStatusObjectTest, WhatIsEmptyIsLeftOut) {
  olm::CleanupOutlook outlook;
  outlook.key = {"ops", "n"};
  outlook.csv_uid = Everything().csv_uid;
  outlook.targets = olm::TargetSet::All();
  EXPECT_EQ(json::parse(TextOf(Object(outlook))).at("status"), json::parse(R"({
    "enabled": false, "optedIn": false, "phase": "Disabled", "pendingCount": 0,
    "targetNamespaces": ["*"]})"));
  outlook.targets = olm::TargetSet();
  EXPECT_EQ(json::parse(TextOf(Object(outlook))).at("status").at("targetNamespaces"),
            json::parse("[]"));
}

TEST_F(CleanupStatusObjectTest, Cells) {
  const auto cells = [this](const olm::CleanupOutlook& outlook) {
    std::string out;
    Object(outlook).AppendCells(out);
    return out;
  };
  olm::CleanupOutlook outlook = Everything();
  EXPECT_EQ(cells(outlook),
            R"(["widget.v1","Draining",250,"SharedOwner,RequiredByOther","4d6h","2 namespaces",)"
            R"("widgets.example.com"])");
  outlook.targets = olm::TargetSet::All();
  outlook.blockers.clear();
  outlook.created.clear();
  EXPECT_EQ(cells(outlook),
            R"(["widget.v1","Draining",250,"","<unknown>","*","widgets.example.com"])");
  EXPECT_EQ(json::parse(cells(outlook)).as_array().size(), CleanupStatusColumns().size());
}

TEST_F(CleanupStatusObjectTest, Tombstone) {
  const auto tombstone = CleanupStatusTombstone({"ops", "n"});
  EXPECT_EQ(TextOf(*tombstone),
            R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"CleanupStatus",)"
            R"("metadata":{"name":"n","namespace":"ops","resourceVersion":"42"}})");
  std::string cells;
  tombstone->AppendCells(cells);
  EXPECT_EQ(json::parse(cells).as_array().size(), CleanupStatusColumns().size());
}

}  // namespace
}  // namespace steward::views

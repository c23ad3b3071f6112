#include "apiserver/views/plan_preview/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "apiserver/views/plan_preview/test_plans.h"
#include "base/clock/fake_clock.h"
#include "base/splice/rope.h"
#include "kube/meta/time.h"
#include "olm/preview/plan_outlook.h"

namespace steward::views {
namespace {

namespace json = boost::json;

class PlanPreviewObjectTest : public ::testing::Test {
 protected:
  // Returns the preview in a cluster without ServiceMonitors.
  PlanPreviewObject Object(const TestPlan& plan, bool gate = true) {
    return {std::make_shared<const olm::PlanOutlook>(
                olm::PlanOutlook::Of(PlanOf(plan), olm::ServedKinds())),
            gate, clock_};
  }
  static std::string TextOf(const rest::Object& object) {
    Rope out;
    object.AppendJson("42", out);
    return out.Flatten();
  }
  static std::string CellsOf(const rest::Object& object) {
    std::string out;
    object.AppendCells(out);
    return out;
  }

  FakeClock clock_{*kube::ParseRfc3339("2026-01-09T06:00:00Z")};
};

TEST_F(PlanPreviewObjectTest, Json) {
  const json::value got = json::parse(TextOf(Object({.labels = R"("color":"red")"})));
  json::value expected = json::parse(R"({
    "apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
    "metadata": {"name": "install-a", "namespace": "ops", "resourceVersion": "42",
      "creationTimestamp": "2026-01-05T00:00:00Z", "labels": {"color": "red"}},
    "spec": {"installPlan": {"name": "install-a"}},
    "status": {"approved": true, "phase": "Installing",
      "clusterServiceVersionNames": ["reed.v1", "rush.v2"],
      "conditions": [{"type": "Executable", "status": "True", "reason": "Approved"}],
      "steps": [
        {"index": 1, "resolving": "reed.v1", "group": "", "version": "v1", "kind": "ServiceAccount",
         "namespace": "ops", "name": "reed", "declaredOptional": false, "optional": false,
         "outcome": "Create", "basis": "Rule", "reason": "CreatedOrUpdated", "status": "Unknown"},
        {"index": 2, "resolving": "reed.v1", "group": "monitoring.coreos.com", "version": "v1",
         "kind": "ServiceMonitor", "name": "reed", "declaredOptional": true, "optional": true,
         "outcome": "NotCreated", "basis": "Rule", "reason": "ApiAbsent", "status": "Unknown",
         "message": "the API server does not serve ServiceMonitor in monitoring.coreos.com/v1"}],
      "summary": {"create": 1, "update": 0, "unchanged": 0, "notCreated": 1, "delete": 0,
        "keep": 0, "blocked": 0, "fail": 0, "unknown": 0}}})");
  const std::string uid(got.at("metadata").at("uid").as_string());
  EXPECT_EQ(uid.size(), 36u);
  EXPECT_NE(uid, TestPlan().uid);
  expected.at("metadata").as_object()["uid"] = uid;
  EXPECT_EQ(got, expected);
}

TEST_F(PlanPreviewObjectTest, Conditions) {
  EXPECT_EQ(json::parse(TextOf(Object({.approved = false}))).at("status").at("conditions"),
            json::parse(R"([{"type": "Executable", "status": "False", "reason": "NotApproved",
              "message": "spec.approved is false: nothing is done until it is true"}])"));
}

TEST_F(PlanPreviewObjectTest, Cells) {
  EXPECT_EQ(CellsOf(Object({})),
            R"(["install-a","Installing",true,1,1,0,0,0,"4d6h",0,"Approved","reed.v1,rush.v2"])");
  EXPECT_EQ(
      CellsOf(Object({.approved = false, .phase = "RequiresApproval"}, false)),
      R"(["install-a","RequiresApproval",false,1,0,0,1,0,"4d6h",0,"NotApproved","reed.v1,rush.v2"])");
  EXPECT_EQ(
      CellsOf(Object({.phase = "Complete", .status = "Created"})),
      R"(["install-a","Complete",true,0,0,0,0,0,"4d6h",2,"PlanIsComplete","reed.v1,rush.v2"])");
  EXPECT_EQ(json::parse(CellsOf(Object({}))).as_array().size(), PlanPreviewColumns().size());
}

TEST_F(PlanPreviewObjectTest, Tombstone) {
  const auto tombstone = PlanPreviewTombstone({"ops", "n"});
  EXPECT_EQ(TextOf(*tombstone),
            R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview",)"
            R"("metadata":{"name":"n","namespace":"ops","resourceVersion":"42"}})");
  EXPECT_EQ(json::parse(CellsOf(*tombstone)).as_array().size(), PlanPreviewColumns().size());
}

}  // namespace
}  // namespace steward::views

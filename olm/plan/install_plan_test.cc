#include "olm/plan/install_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

constexpr char kPlan[] = R"({
  "apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
  "metadata": {"name": "p", "namespace": "ops", "uid": "u", "resourceVersion": "7"},
  "spec": {"approved": true, "clusterServiceVersionNames": ["reed.v1"]},
  "status": {"phase": "Installing", "startTime": "2026-01-02T03:04:05Z", "other": 1,
    "bundleLookups": [{"identifier": "reed.v1", "properties": "{}"}],
    "plan": [
      {"resolving": "reed.v1", "status": "Unknown", "more": true, "resource": {"group": "m.io",
       "version": "v1", "kind": "Monitor", "name": "a", "manifest": "{}", "sourceName": "cat",
       "sourceNamespace": "olm"}},
      {"resolving": "reed.v1", "status": "Created", "optional": true, "resource": {"group": "",
       "version": "v1", "kind": "ConfigMap", "name": "b"}}]}})";

json::object Parsed(std::string_view text = kPlan) { return json::parse(text).as_object(); }

TEST(InstallPlanTest, IsRead) {
  ASSERT_OK_AND_ASSIGN(const InstallPlan plan, ReadInstallPlan(Parsed()));
  EXPECT_EQ(plan.key, (kube::NamespacedName{"ops", "p"}));
  EXPECT_TRUE(plan.approved);
  EXPECT_THAT(plan.csv_names, ::testing::ElementsAre("reed.v1"));
  EXPECT_FALSE(plan.ended());
  EXPECT_EQ(plan.start_time,
            absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone()));
  ASSERT_EQ(plan.steps.size(), 2);
  EXPECT_EQ(plan.steps[0].gvk, (kube::GroupVersionKind{"m.io", "v1", "Monitor"}));
  EXPECT_EQ(plan.steps[0].ToString(0), "step 1, Monitor a");
  EXPECT_FALSE(plan.steps[0].optional);
  EXPECT_TRUE(plan.steps[1].optional);
  EXPECT_THAT(plan.lookups, ::testing::ElementsAre(BundleLookup{"reed.v1", "{}"}));
}

TEST(InstallPlanTest, WhatCannotBeReadNamesTheField) {
  for (
      const auto& [text, field] : std::vector<std::pair<std::string, std::string>>{
          {"{}", "metadata"},
          {R"({"metadata":{"name":"p","namespace":"n"}})", "metadata.uid"},
          {R"({"metadata":{"name":"p","uid":"u"}})", "metadata"},
          {R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"spec":{"approved":"yes"}})",
           "spec.approved"},
          {R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"status":{"plan":[null]}})",
           "status.plan[0]"},
          {R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"status":{"plan":[{}]}})",
           "status.plan[0].resource"},
          {R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"status":{"plan":[{"resource":{"kind":1}}]}})",
           "status.plan[0].resource.kind"},
          {R"({"metadata":{"name":"p","namespace":"n","uid":"u"},"status":{"startTime":"x"}})",
           "status.startTime"}}) {
    SCOPED_TRACE(text);
    const auto plan = ReadInstallPlan(Parsed(text));
    EXPECT_TRUE(absl::IsInvalidArgument(plan.status()));
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(field));
  }
}

// R-002-19 to 21, 24: order and whatever else is there stay; `optional` is written as true only.
TEST(InstallPlanTest, R_002_19_20_21_24_ProgressIsWritten) {
  json::object object = Parsed();
  ASSERT_OK_AND_ASSIGN(const InstallPlan plan, ReadInstallPlan(object));
  PlanProgress progress;
  progress.phase = kPlanComplete;
  progress.message = "why";
  progress.condition = {true, "", ""};
  progress.steps = {{std::string(kStepNotCreated), true}, {std::string(kStepCreated), false}};
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_TRUE(SetProgress(plan, progress, now, object));
  json::object expected = Parsed();
  json::object& status = expected["status"].as_object();
  status["phase"] = "Complete";
  status["message"] = "why";
  status["plan"].as_array()[0].as_object()["status"] = "NotCreated";
  status["plan"].as_array()[0].as_object()["optional"] = true;
  status["conditions"] =
      json::parse(R"([{"type":"Installed","status":"True","lastUpdateTime":"2023-11-14T22:13:20Z",)"
                  R"("lastTransitionTime":"2023-11-14T22:13:20Z"}])");
  EXPECT_EQ(object, expected) << Serialize(object);
  // An equal progress changes nothing, and an empty message is absent.
  EXPECT_FALSE(SetProgress(plan, progress, now + absl::Hours(1), object));
  progress.message = "";
  progress.condition = {true, "Because", ""};
  EXPECT_TRUE(SetProgress(plan, progress, now + absl::Hours(1), object));
  EXPECT_FALSE(object["status"].as_object().contains("message"));
  const json::value& condition = object["status"].at("conditions").at(0);
  EXPECT_EQ(condition.at("lastTransitionTime"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(condition.at("lastUpdateTime"), "2023-11-14T23:13:20Z");
}

TEST(InstallPlanTest, TooManySteps) {
  json::object object = Parsed();
  json::array& steps = object["status"].as_object()["plan"].as_array();
  const json::value step = steps[1];
  while (steps.size() <= InstallPlan::kMaxSteps) steps.push_back(step);
  EXPECT_THAT(ReadInstallPlan(object),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 10000 steps")));
}

// A step that an author marked stays marked, and other steps have no such field.
TEST(InstallPlanTest, R_002_21_OptionalIsNeverWrittenAsFalse) {
  json::object object = Parsed();
  ASSERT_OK_AND_ASSIGN(const InstallPlan plan, ReadInstallPlan(object));
  PlanProgress progress;
  progress.phase = plan.phase;
  progress.steps = {{"Unknown", false}, {"Created", false}};
  EXPECT_FALSE(SetProgress(plan, progress, absl::UnixEpoch(), object));
  EXPECT_EQ(object, Parsed());
}

}  // namespace
}  // namespace steward::olm

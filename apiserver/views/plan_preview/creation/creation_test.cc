#include "apiserver/views/plan_preview/creation/creation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/field_validation.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/upstream/asker.h"
#include "base/async/run.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakePreviews : public upstream::Previews {
 public:
  Task<olm::PlanPreview> OfPlan(upstream::Asker asker, kube::NamespacedName plan) override {
    return Answer("plan " + plan.ns + "/" + plan.name, std::move(asker));
  }
  Task<olm::PlanPreview> OfBundle(upstream::Asker asker, std::string ns,
                                  upstream::PreviewedBundle bundle) override {
    return Answer("bundle " + ns + " " + bundle.manifests.at(0) + bundle.properties,
                  std::move(asker));
  }
  Task<olm::PlanPreview> OfUninstall(upstream::Asker asker, kube::NamespacedName csv,
                                     std::optional<bool> cleanup) override {
    return Answer("uninstall " + csv.ns + "/" + csv.name +
                      (!cleanup.has_value() ? ""
                       : *cleanup           ? " with cleanup"
                                            : " without"),
                  std::move(asker));
  }
  Task<olm::PlanPreview> OfCopies(upstream::Asker asker, bool enabled) override {
    return Answer(enabled ? "on" : "off", std::move(asker));
  }

  std::vector<std::string> asked;
  upstream::Asker asked_by;
  absl::StatusOr<olm::PlanPreview> answer = olm::PlanPreview();

 private:
  Task<olm::PlanPreview> Answer(std::string question, upstream::Asker asker) {
    asked.push_back(std::move(question));
    asked_by = std::move(asker);
    co_return answer;
  }
};

class PlanPreviewCreationTest : public ::testing::Test {
 protected:
  PlanPreviewCreationTest() {
    user_.name = "alice";
    user_.groups = {"dev"};
  }
  absl::StatusOr<rest::ReviewAnswer> Create(const std::string& body) {
    rest::ReviewRequest request;
    request.ns = "ops";
    request.question = ParseJson(body)->as_object();
    request.dry_run = true;
    request.audit_id = "id-1";
    request.traceparent = "00-trace";
    return RunOn(io_, creation_.Review(user_, std::move(request)));
  }
  boost::asio::io_context io_{1};
  kube::UserInfo user_;
  FakePreviews upstream_;
  PlanPreviewCreation creation_{upstream_};
};

olm::PlanPreview SomePreview() {
  olm::PlanPreview preview;
  preview.condition = {false, "Refused", "not now"};
  preview.hidden = 2;
  preview.remaining = 3;
  olm::PreviewStep& step = preview.Add({"apps", "v1", "Deployment"}, {"ops", "w"}, "w.v1");
  step.outcome = olm::Outcome::kUpdate;
  step.basis = olm::Basis::kDryRun;
  step.reason = "Differs";
  step.code = 200;
  step.changed_fields = {"spec.replicas"};
  step.changes = {{"spec.replicas", "1", "2"}};
  step.warnings = {"old"};
  preview.Add({"", "v1", "Secret"}, {"", "s"}, "");
  return preview;
}

TEST_F(PlanPreviewCreationTest, EachQuestionIsAskedInTheRequestersName) {
  EXPECT_OK(Create(R"({"spec":{"installPlan":{"name":"install-a"}}})"));
  EXPECT_OK(Create(R"({"spec":{"bundle":{"manifests":[{"a":1}],"properties":[]}}})"));
  EXPECT_OK(Create(R"({"spec":{"uninstall":{"clusterServiceVersion":"w.v1"}}})"));
  EXPECT_OK(Create(R"({"spec":{"uninstall":{"clusterServiceVersion":"w.v1","cleanup":true}}})"));
  EXPECT_OK(Create(R"({"spec":{"uninstall":{"clusterServiceVersion":"w.v1","cleanup":false}}})"));
  EXPECT_OK(Create(R"({"spec":{"copiedCSVs":{"enabled":true}}})"));
  EXPECT_OK(Create(R"({"spec":{"copiedCSVs":{"enabled":false}}})"));
  EXPECT_THAT(upstream_.asked, ElementsAre("plan ops/install-a", R"(bundle ops {"a":1}[])",
                                           "uninstall ops/w.v1", "uninstall ops/w.v1 with cleanup",
                                           "uninstall ops/w.v1 without", "on", "off"));
  EXPECT_EQ(upstream_.asked_by.user, user_);
  EXPECT_EQ(upstream_.asked_by.audit_id, "id-1");
  EXPECT_EQ(upstream_.asked_by.traceparent, "00-trace");
}

TEST_F(PlanPreviewCreationTest, TheAnswer) {
  upstream_.answer = SomePreview();
  const auto answer =
      Create(R"({"metadata":{"name":"mine","x":1},"spec":{"copiedCSVs":{"enabled":true}}})");
  ASSERT_OK(answer);
  EXPECT_THAT(answer->warnings, ElementsAre(R"(unknown field "metadata.x")"));
  EXPECT_EQ(answer->object->ns(), "ops");
  EXPECT_EQ(answer->object->name(), "mine");
  Rope rope;
  answer->object->AppendJson("", rope);
  const auto got = ParseJson(rope.Flatten());
  ASSERT_OK(got);
  EXPECT_EQ(*got, *ParseJson(R"({
    "apiVersion": "views.operators.coreos.com/v1alpha1", "kind": "PlanPreview",
    "metadata": {"name": "mine", "namespace": "ops", "creationTimestamp": null},
    "spec": {"copiedCSVs": {"enabled": true}},
    "status": {
      "conditions": [{"type": "Executable", "status": "False", "reason": "Refused",
                      "message": "not now"}],
      "hidden": 2, "remaining": 3,
      "steps": [
        {"index": 1, "resolving": "w.v1", "group": "apps", "version": "v1", "kind": "Deployment",
         "namespace": "ops", "name": "w", "declaredOptional": false, "optional": false,
         "outcome": "Update", "basis": "DryRun", "reason": "Differs", "code": 200,
         "changedFields": ["spec.replicas"],
         "changes": [{"path": "spec.replicas", "before": 1, "after": 2}], "warnings": ["old"]},
        {"index": 2, "group": "", "version": "v1", "kind": "Secret", "name": "s",
         "declaredOptional": false, "optional": false, "outcome": "Unknown", "basis": "Rule"}],
      "summary": {"create": 0, "update": 1, "unchanged": 0, "notCreated": 0, "delete": 0,
                  "keep": 0, "blocked": 0, "fail": 0, "unknown": 1}}})"));
  Rope metadata;
  answer->object->AppendMetadata("", metadata);
  EXPECT_EQ(metadata.Flatten(), R"({"name":"mine","namespace":"ops","creationTimestamp":null})");
  std::string cells;
  answer->object->AppendCells(cells);
  EXPECT_EQ(cells, R"(["mine","False","Refused",1,0,0,0,0,0,0,1,2,3])");
  EXPECT_EQ(ParseJson(cells)->as_array().size(), answer->columns.size());
}

TEST_F(PlanPreviewCreationTest, TheTableHasAColumnForEachOutcome) {
  upstream_.answer->steps.resize(5);
  upstream_.answer->steps[0].outcome = olm::Outcome::kDelete;
  upstream_.answer->steps[1].outcome = olm::Outcome::kDelete;
  for (int i = 2; i < 5; ++i) upstream_.answer->steps[i].outcome = olm::Outcome::kKeep;
  const auto answer = Create(R"({"spec":{"uninstall":{"clusterServiceVersion":"w.v1"}}})");
  ASSERT_OK(answer);
  std::string cells;
  answer->object->AppendCells(cells);
  const auto row = ParseJson(cells);
  ASSERT_OK(row);
  std::map<std::string, json::value> said;
  for (size_t i = 0; i < answer->columns.size(); ++i) {
    said[answer->columns[i].name] = row->as_array().at(i);
  }
  EXPECT_EQ(said["Delete"], 2);
  EXPECT_EQ(said["Keep"], 3);
}

// kubectl prints "<unknown> created" for an object without a name, so every answer has one.
TEST_F(PlanPreviewCreationTest, EachHasAName) {
  const struct {
    std::string metadata, spec, want;  // a regular expression
  } rows[] = {
      {R"({"name":"mine"})", R"({"copiedCSVs":{"enabled":true}})", "mine"},
      {R"({"name":"mine","generateName":"q-"})", R"({"copiedCSVs":{"enabled":true}})", "mine"},
      {R"({"generateName":"q-"})", R"({"copiedCSVs":{"enabled":true}})", "q-[0-9a-f]{5}"},
      {R"({"generateName":")" + std::string(100, 'q') + R"("})",
       R"({"copiedCSVs":{"enabled":true}})", "q{58}[0-9a-f]{5}"},
      {"{}", R"({"copiedCSVs":{"enabled":true}})", "copied-csvs"},
      {"{}", R"({"installPlan":{"name":"install-a"}})", "install-a"},
      {"{}", R"({"uninstall":{"clusterServiceVersion":"w.v1"}})", "w.v1"},
      {"{}", R"({"bundle":{"manifests":[{}]}})", "bundle"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.metadata + row.spec);
    const auto answer = Create(R"({"metadata":)" + row.metadata + R"(,"spec":)" + row.spec + "}");
    ASSERT_OK(answer);
    EXPECT_THAT(std::string(answer->object->name()), ::testing::MatchesRegex(row.want));
  }
}

TEST_F(PlanPreviewCreationTest, ErrorsAreTheControllers) {
  upstream_.answer = kube::ToStatus(kube::ServiceUnavailable("away", 5));
  EXPECT_EQ(Create(R"({"spec":{"copiedCSVs":{"enabled":true}}})").status(),
            upstream_.answer.status());
}

TEST_F(PlanPreviewCreationTest, NobodyIsAskedAWrongQuestion) {
  EXPECT_EQ(kube::FromStatus(Create(R"({"spec":{}})").status()).code, 422);
  EXPECT_THAT(upstream_.asked, IsEmpty());
}

}  // namespace
}  // namespace steward::views

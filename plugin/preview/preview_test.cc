#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "plugin/command/command.h"
#include "plugin/command/exit.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/preview/preview_commands.h"
#include "plugin/preview/preview_table.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::GroupVersionResource kPlanPreviews = {"views.operators.coreos.com", "v1alpha1",
                                                  "planpreviews"};

constexpr char kClear[] =
    R"({"steps":[{"index":0,"kind":"Widget","namespace":"a","name":"one","outcome":"Create",)"
    R"("basis":"DryRun","reason":"Accepted"},{"index":1,"kind":"Gadget","name":"two",)"
    R"("outcome":"Update","basis":"DryRun","reason":"Accepted","changedFields":["spec.a","spec.b",)"
    R"("spec.c","spec.d","spec.e"]}],)"
    R"("conditions":[{"type":"Executable","status":"True","reason":"Approved"}]})";
constexpr char kWarning[] =
    R"({"steps":[{"kind":"Widget","namespace":"a","name":"one","outcome":"Keep","basis":"Rule",)"
    R"("reason":"NoTarget"},{"kind":"Widget","namespace":"a","name":"two","outcome":"Fail",)"
    R"("basis":"DryRun","reason":"Forbidden","message":"no\u001b[2J"}],"hidden":3,"remaining":4,)"
    R"("conditions":[{"type":"Executable","status":"False","reason":"Refused","message":"why"}]})";

class PreviewTest : public ::testing::Test {
 protected:
  void Answer(const std::string& status) {
    scene_.fake.Serve(kPlanPreviews);
    scene_.fake.HandleCreate(kPlanPreviews, [this, status](const json::value& question) {
      asked_ = Serialize(question.at("spec"));
      json::value answer = question;
      answer.as_object()["status"] = *ParseJson(status);
      return absl::StatusOr<json::value>(answer);
    });
  }
  absl::Status Run(const KnownCommand& known, std::vector<std::string> args, bool wide = false) {
    const std::unique_ptr<Command> command = known.make();
    CLI::App app;
    command->AddFlags(app);
    std::reverse(args.begin(), args.end());
    app.parse(args);
    Session session = scene_.session();
    session.wide = wide;
    return scene_.Run(command->Run(session));
  }

  TestScene scene_;
  std::string asked_;
};

TEST_F(PreviewTest, AsksWhatIsMeant) {
  Answer(kClear);
  EXPECT_OK(Run(KnownPreviewPlan(), {"p1"}));
  EXPECT_EQ(asked_, R"({"installPlan":{"name":"p1"}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"w.v1"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"w.v1"}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"w.v1", "--cleanup"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"w.v1","cleanup":true}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"w.v1", "--keep"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"w.v1","cleanup":false}})");
  EXPECT_OK(Run(KnownPreviewCopiedCsvs(), {"off"}));
  EXPECT_EQ(asked_, R"({"copiedCSVs":{"enabled":false}})");
  EXPECT_EQ(ExitOf(Run(KnownPreviewBundle(), {"/no/such/folder"})), Exit::kUsage);
}

TEST_F(PreviewTest, ShowsTheSteps) {
  Answer(kClear);
  EXPECT_OK(Run(KnownPreviewPlan(), {"p1"}));
  EXPECT_THAT(scene_.screen, HasSubstr("OUTCOME"));
  EXPECT_THAT(scene_.screen, HasSubstr("Widget a/one"));
  EXPECT_THAT(scene_.screen, HasSubstr("spec.a, spec.b, spec.c, spec.d and 1 more"));
  EXPECT_THAT(scene_.screen, HasSubstr("2 steps: 1 Create, 1 Update"));
  EXPECT_THAT(scene_.screen, Not(HasSubstr("DryRun")));
  EXPECT_TRUE(scene_.document.contains("preview"));
  scene_.screen.clear();
  EXPECT_OK(Run(KnownPreviewPlan(), {"p1"}, /*wide=*/true));
  EXPECT_THAT(scene_.screen, HasSubstr("DryRun"));
  EXPECT_THAT(scene_.screen, HasSubstr("spec.d, spec.e"));
}

TEST_F(PreviewTest, EndsWithAWarning) {
  Answer(kWarning);
  EXPECT_EQ(ExitOf(Run(KnownPreviewUninstall(), {"w.v1"})), Exit::kForewarned);
  EXPECT_THAT(scene_.screen,
              HasSubstr("2 steps: 1 Fail, 1 Keep, 3 that you may not see, 4 not looked at"));
  EXPECT_THAT(scene_.screen, HasSubstr("Refused: why"));
  EXPECT_THAT(scene_.screen, Not(HasSubstr("\x1b[2J"))) << "nothing from a cluster is unescaped";
}

TEST_F(PreviewTest, SaysWhyThereIsNone) {
  EXPECT_EQ(ExitOf(Run(KnownPreviewPlan(), {"p1"})), Exit::kError);
  Session session = scene_.session();
  EXPECT_OK(scene_.Run(ShowAskedPreview(session, {}))) << "beside another one it is not missed";
  scene_.fake.Serve(kPlanPreviews);
  scene_.fake.HandleCreate(kPlanPreviews, [](const json::value&) {
    return absl::StatusOr<json::value>(kube::ToStatus(kube::Forbidden(kPlanPreviews, "", "no")));
  });
  EXPECT_EQ(ExitOf(Run(KnownPreviewPlan(), {"p1"})), Exit::kRefused);
}

TEST(AskedPreviewTest, WhatCannotBeReadIsAnError) {
  for (const char* text : {"{}", R"({"status":1})", R"({"status":{}})",
                           R"({"status":{"steps":[1]}})", R"({"status":{"steps":{}}})"}) {
    EXPECT_THAT(ReadPreview(ParseJson(text)->as_object()).status(),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << text;
  }
}

}  // namespace
}  // namespace steward::plugin

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
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "plugin/cluster/resources.h"
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
    R"({"steps":[{"index":1,"kind":"Widget","namespace":"a","name":"one","outcome":"Create",)"
    R"("basis":"DryRun","reason":"Accepted"},{"index":2,"kind":"Gadget","name":"two",)"
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
  absl::Status Run(const KnownCommand& known, std::vector<std::string> args, bool wide = false,
                   const std::string& ns = "ops") {
    const std::unique_ptr<Command> command = known.make();
    CLI::App app;
    command->AddFlags(app);
    std::reverse(args.begin(), args.end());
    app.parse(args);
    Session session = scene_.session();
    session.wide = wide;
    session.ns = ns;
    return scene_.Run(command->Run(session));
  }

  TestScene scene_;
  std::string asked_;
};

TEST_F(PreviewTest, AsksWhatIsMeant) {
  Answer(kClear);
  EXPECT_OK(Run(KnownPreviewPlan(), {"p1"}));
  EXPECT_EQ(asked_, R"({"installPlan":{"name":"p1"}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"widget.v1"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"widget.v1"}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"widget.v1", "--cleanup"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"widget.v1","cleanup":true}})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"widget.v1", "--keep"}));
  EXPECT_EQ(asked_, R"({"uninstall":{"clusterServiceVersion":"widget.v1","cleanup":false}})");
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

TEST_F(PreviewTest, ShowsWhatTheClusterWarnsOf) {
  Answer(R"({"steps":[{"kind":"Widget","namespace":"a","name":"one","outcome":"Create",)"
         R"("warnings":["v1 is old","\u001b[2J"]}],)"
         R"("conditions":[{"type":"Executable","status":"True","reason":"Approved"}]})");
  for (const bool diff : {false, true}) {
    scene_.screen.clear();
    EXPECT_OK(diff ? Run(KnownPreviewPlan(), {"p1", "--diff"}) : Run(KnownPreviewPlan(), {"p1"}));
    EXPECT_THAT(scene_.screen, HasSubstr("Warning: Widget a/one: v1 is old\n"));
    EXPECT_THAT(scene_.screen, Not(HasSubstr("\x1b[2J")));
  }
}

TEST_F(PreviewTest, ShowsADiff) {
  Answer(R"({"steps":[
      {"group":"apps","version":"v1","kind":"Deployment","namespace":"a","name":"one",
       "outcome":"Update","changedFields":["spec.replicas","metadata.labels","data.text","big"],
       "changes":[{"path":"spec.replicas","before":1,"after":2},
                  {"path":"metadata.labels","after":{"b":"1","a":"\u001b[2J"}},
                  {"path":"data.text","before":"one\ntwo\n","after":"one\n2\n"},
                  {"path":"big","cut":true}]},
      {"version":"v1","kind":"Namespace","name":"new","outcome":"Create",
       "changes":[{"after":{"kind":"Namespace","metadata":{"name":"new"}}}]},
      {"version":"v1","kind":"ConfigMap","namespace":"a","name":"far","outcome":"Create"},
      {"version":"v1","kind":"Secret","namespace":"a","name":"s","outcome":"Update",
       "changedFields":["data.key"]},
      {"version":"v1","kind":"Service","namespace":"a","name":"same","outcome":"Unchanged"},
      {"kind":"Widget","name":"w","outcome":"NotCreated","reason":"ApiAbsent","message":"no API"}],
      "conditions":[{"type":"Executable","status":"True","reason":"Approved"}]})");
  EXPECT_OK(Run(KnownPreviewPlan(), {"p1", "--diff"}));
  EXPECT_EQ(scene_.screen,
            R"(--- LIVE/apps.v1.Deployment.a.one
+++ MERGED/apps.v1.Deployment.a.one
@@ -1,1 +1,1 @@ spec.replicas
-1
+2
@@ -0,0 +1,2 @@ metadata.labels
+a: "\u001B[2J"
+b: "1"
@@ -1,3 +1,3 @@ data.text
 |
   one
-  two
+  2
# big is too large to be shown
--- /dev/null
+++ MERGED/v1.Namespace..new
@@ -0,0 +1,3 @@
+kind: Namespace
+metadata:
+  name: new
--- /dev/null
+++ MERGED/v1.ConfigMap.a.far
# it is created; its content is not told
--- LIVE/v1.Secret.a.s
+++ MERGED/v1.Secret.a.s
# data.key changes; its values are not told
# NotCreated Widget w: ApiAbsent: no API
6 steps: 2 Create, 1 NotCreated, 1 Unchanged, 2 Update
)");
}

TEST_F(PreviewTest, OfASubscription) {
  constexpr char kPlan[] = R"({"metadata":{"namespace":"ops","name":"install-2","uid":"uid-2"},)"
                           R"("status":{"phase":"RequiresApproval"}})";
  constexpr char kDone[] = R"({"metadata":{"namespace":"ops","name":"install-2","uid":"uid-2"},)"
                           R"("status":{"phase":"Complete"}})";
  constexpr char kUpgrade[] = R"("installedCSV":"w.v1","currentCSV":"w.v2",)";
  constexpr char kLatest[] = R"("installedCSV":"w.v2","currentCSV":"w.v2",)";
  constexpr char kRef[] =
      R"("installPlanRef":{"name":"install-2","namespace":"ops","uid":"uid-2"})";
  struct Row {
    const char* name;
    std::string status;
    const char* plan;  // null = there is no plan
    Exit exit;
    bool asks;
    const char* said;  // a part of the screen, or of the error
  };
  const std::vector<Row> rows = {
      {"it waits", StrCat(kUpgrade, R"("state":"UpgradePending",)", kRef), kPlan, Exit::kDone, true,
       "2 steps: 1 Create, 1 Update"},
      {"an old one", StrCat(kUpgrade, R"("installplan":{"name":"install-2","uuid":"uid-2"})"),
       kPlan, Exit::kDone, true, "2 steps: 1 Create, 1 Update"},
      {"no uid is said", R"("installPlanRef":{"name":"install-2"})", kPlan, Exit::kDone, true,
       "2 steps: 1 Create, 1 Update"},
      {"nothing yet", "", nullptr, Exit::kForewarned, false, "nothing has been found for it"},
      {"it is told why",
       R"("conditions":[{"type":"ResolutionFailed","status":"True","message":"no such channel"}])",
       nullptr, Exit::kForewarned, false, "(ResolutionFailed: no such channel)"},
      {"all is installed", StrCat(kLatest, kRef), kDone, Exit::kDone, false,
       "It waits for no InstallPlan"},
      {"all is installed, the plan has gone", StrCat(kLatest, kRef), nullptr, Exit::kDone, false,
       "It waits for no InstallPlan"},
      {"the plan has gone", StrCat(kUpgrade, kRef), nullptr, Exit::kForewarned, false,
       "is not there"},
      {"another plan has its name",
       StrCat(kUpgrade, R"("installPlanRef":{"name":"install-2","uid":"uid-1"})"), kPlan,
       Exit::kForewarned, false, "another one has its name"},
      {"it is elsewhere",
       StrCat(kUpgrade, R"("installPlanRef":{"name":"install-2","namespace":"kube-system"})"),
       kPlan, Exit::kForewarned, false, "of another namespace: kube-system/install-2"},
  };
  Answer(kClear);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    scene_.PutSubscription("widgets", "{}", StrCat("{", row.status, "}"));
    if (row.plan != nullptr) scene_.fake.Put(kInstallPlans, row.plan);
    asked_.clear();
    scene_.screen.clear();
    const absl::Status status = Run(KnownPreviewSubscription(), {"widgets"}, false, "ops");
    EXPECT_EQ(ExitOf(status), row.exit) << status;
    EXPECT_EQ(asked_, row.asks ? R"({"installPlan":{"name":"install-2"}})" : "");
    EXPECT_THAT(scene_.screen + std::string(status.message()), HasSubstr(row.said));
    EXPECT_THAT(scene_.screen, HasSubstr("ops/widgets"));
    EXPECT_EQ(scene_.document.at("subscription").at("name"), json::value("widgets"));
    if (row.plan != nullptr) scene_.fake.Delete(kInstallPlans, {"ops", "install-2"});
  }
}

TEST_F(PreviewTest, OfASubscriptionThatCannotBeRead) {
  EXPECT_EQ(Run(KnownPreviewSubscription(), {"widgets"}, false, "ops").message(),
            "there is no Subscription widgets in the namespace ops");
  const absl::Status forbidden = kube::ToStatus(kube::Forbidden(kSubscriptions, "widgets", "no"));
  scene_.client.FailNext({kube::ClientVerb::kGet, kSubscriptions}, forbidden);
  EXPECT_EQ(ExitOf(Run(KnownPreviewSubscription(), {"widgets"}, false, "ops")), Exit::kRefused);
}

TEST_F(PreviewTest, EndsWithAWarning) {
  Answer(kWarning);
  EXPECT_EQ(ExitOf(Run(KnownPreviewUninstall(), {"widget.v1"})), Exit::kForewarned);
  EXPECT_THAT(scene_.screen,
              HasSubstr("2 steps: 1 Fail, 1 Keep, 3 that you may not see, 4 not looked at"));
  EXPECT_THAT(scene_.screen, HasSubstr("Refused: why"));
  EXPECT_THAT(scene_.screen, Not(HasSubstr("\x1b[2J"))) << "nothing from a cluster is unescaped";
}

constexpr char kUninstall[] =
    R"({"steps":[{"index":1,"kind":"ClusterServiceVersion","namespace":"ops","name":"widget.v1",)"
    R"("outcome":"Delete","basis":"Rule","reason":"DeletedByRequester"},{"index":2,"kind":"Widget",)"
    R"("namespace":"ops","name":"one","outcome":"Keep","basis":"Rule","reason":"NotOptedIn"}],)"
    R"("hidden":0,"remaining":0,"summary":{"delete":1,"keep":1},)"
    R"("conditions":[{"type":"Executable","status":"True","reason":"OperandsKept"}]})";

// In addition to the server's preview, the command reads dependents with the user's rights.
TEST_F(PreviewTest, AnUninstallationTakesAlongWhatTheOperatorOwns) {
  Answer(kUninstall);
  const std::string owner =
      R"(,"ownerReferences":[{"kind":"ClusterServiceVersion","name":"widget.v1","uid":")" +
      std::string(scene_.Object(kCsvs, kCsv).at("metadata").at("uid").as_string()) + R"("}])";
  const kube::GroupVersionResource roles = {"rbac.authorization.k8s.io", "v1", "roles"};
  scene_.fake.Serve(roles);
  scene_.fake.Publish({roles.group, "v1"}, {{"Role", "roles", true, {"list", "delete"}}});
  scene_.fake.Publish({"example.com", "v1"}, {{"Widget", "widgets", true, {"list", "delete"}}});
  scene_.fake.Put(roles, StrCat(R"({"metadata":{"namespace":"ops","name":"r")", owner, "}}"));
  scene_.fake.Put(kWidgets, StrCat(R"({"metadata":{"namespace":"ops","name":"one")", owner, "}}"));
  scene_.PutSubscription("sub", "{}", R"({"installedCSV":"widget.v1"})");
  EXPECT_OK(Run(KnownPreviewUninstall(), {"widget.v1"}, /*wide=*/true));
  const json::object& status = scene_.document.at("preview").at("status").as_object();
  std::vector<std::string> words;
  for (const json::value& each : status.at("steps").as_array()) {
    const auto text = [&each](const char* key) { return std::string(each.at(key).as_string()); };
    words.push_back(StrCat(each.at("index").as_int64(), " ", text("kind"), " ", text("name"), " ",
                           text("outcome"), " ", text("basis"), " ", text("reason")));
  }
  EXPECT_THAT(
      words, ::testing::ElementsAre(
                 "1 ClusterServiceVersion widget.v1 Delete DryRun DeletedByRequester",
                 "2 Widget one Delete Rule Owned",
                 "3 Subscription sub Delete DryRun InstallsItAgain", "4 Role r Delete Rule Owned"));
  EXPECT_EQ(status.at("summary").at("delete").as_int64(), 4);
  EXPECT_EQ(status.at("summary").at("keep").as_int64(), 0);
  EXPECT_TRUE(scene_.Has(kCsvs, kCsv)) << "a preview deletes nothing";
  EXPECT_TRUE(scene_.Has(kSubscriptions, {"ops", "sub"}));

  // A policy refuses the deletion, and some kinds cannot be read.
  scene_.fake.FailNext(kube::FakeClient::Verb::kDelete, kCsvs,
                       kube::ToStatus(kube::Forbidden(kCsvs, "widget.v1", "a policy")));
  scene_.fake.FailNext(kube::FakeClient::Verb::kList, roles,
                       kube::ToStatus(kube::Forbidden(roles, "", "no")));
  scene_.screen.clear();
  EXPECT_EQ(ExitOf(Run(KnownPreviewUninstall(), {"widget.v1"}, /*wide=*/true)), Exit::kForewarned);
  EXPECT_THAT(scene_.screen, HasSubstr("Fail"));
  EXPECT_THAT(scene_.screen, HasSubstr("a policy"));
  EXPECT_THAT(scene_.screen, HasSubstr("roles.rbac.authorization.k8s.io"));
}

// The command succeeds only if everything will happen as shown.
TEST_F(PreviewTest, EndsWithAWarningWhereItIsNotExecutable) {
  const struct {
    const char* status;
    const char* reason;
    Exit exit;
  } rows[] = {
      {"True", "Approved", Exit::kDone},
      {"True", "OperandsKept", Exit::kDone},
      {"False", "NotApproved", Exit::kDone},
      {"False", "PlanIsComplete", Exit::kDone},
      {"False", "Refused", Exit::kForewarned},
      {"False", "NotUnpacked", Exit::kForewarned},
      {"False", "NoSteps", Exit::kForewarned},
      {"False", "RequirementsUnmet", Exit::kForewarned},
      {"False", "PlanHasFailed", Exit::kForewarned},
      {"False", "", Exit::kForewarned},
      {"Unknown", "Odd", Exit::kForewarned},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    Answer(StrCat(R"({"steps":[],"conditions":[{"type":"Executable","status":")", row.status,
                  R"(","reason":")", row.reason, R"(","message":"why"}]})"));
    const absl::Status ended = Run(KnownPreviewPlan(), {"p1"});
    EXPECT_EQ(ExitOf(ended), row.exit) << ended;
  }
}

TEST_F(PreviewTest, NoStepsSayWhy) {
  for (const char* status : {"True", "False"}) {
    scene_.screen.clear();
    Answer(std::string(R"({"steps":[],"conditions":[{"type":"Executable","status":")") + status +
           R"(","reason":"NothingToChange","message":"there are no copies"}]})");
    Run(KnownPreviewCopiedCsvs(), {"on"}).IgnoreError();
    EXPECT_THAT(scene_.screen, HasSubstr("0 steps\nNothingToChange: there are no copies\n"));
  }
}

TEST_F(PreviewTest, SaysTheSummaryAndWhatACopyIsOf) {
  Answer(R"({"steps":[{"kind":"ClusterServiceVersion","namespace":"red","name":"w.v1",)"
         R"("outcome":"Delete","basis":"DryRun","reason":"TurnedOff",)"
         R"("message":"copy of ops/w.v1; whoever"}],"conditions":[{"type":"Executable",)"
         R"("status":"True","reason":"CopiesChange","message":"1 copy to delete"}]})");
  EXPECT_OK(Run(KnownPreviewCopiedCsvs(), {"off"}));
  EXPECT_THAT(scene_.screen, HasSubstr("copy of ops/w.v1; whoever"));
  EXPECT_THAT(scene_.screen, HasSubstr("CopiesChange: 1 copy to delete"));
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

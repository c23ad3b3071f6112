#include <boost/json/parse.hpp>

#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cleanup_status.h"
#include "plugin/exit.h"
#include "plugin/operands.h"
#include "plugin/preview.h"
#include "plugin/progress.h"
#include "plugin/reads.h"
#include "plugin/related.h"
#include "plugin/report.h"
#include "plugin/resources.h"
#include "plugin/test_scene.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ExitTest, ErrorsSayHowTheCommandEnds) {
  EXPECT_EQ(ExitOf(absl::OkStatus()), Exit::kDone);
  EXPECT_EQ(ExitOf(absl::InternalError("x")), Exit::kError);
  EXPECT_EQ(ExitOf(Misused("x")), Exit::kUsage);
  EXPECT_EQ(ExitOf(Refused("x")), Exit::kRefused);
  EXPECT_EQ(ExitOf(While("doing", Stalled("x"))), Exit::kStalled);
  boost::json::object document = NewReport("UninstallReport");
  Conclude(Stalled("stuck"), document);
  EXPECT_EQ(ReportText(document),
            "{\n  \"apiVersion\": \"steward.operatorframework.io/v1\",\n"
            "  \"kind\": \"UninstallReport\",\n  \"result\": \"Stalled\",\n  \"exitCode\": 4,\n"
            "  \"message\": \"stuck\"\n}\n");
}

TEST(ReadsTest, KnowsWhatAnErrorMeans) {
  const absl::Status absent = kube::ToStatus(kube::NotFound(kCsvs, "x"));
  const absl::Status unserved = kube::ToStatus(kube::NotFoundPath());
  EXPECT_TRUE(IsAbsent(absent, "x"));
  EXPECT_FALSE(IsAbsent(absent, "y"));
  EXPECT_FALSE(IsAbsent(unserved, "x"));
  EXPECT_TRUE(IsUnserved(unserved));
  EXPECT_FALSE(IsUnserved(absent));
  EXPECT_TRUE(IsAbsent(While("reading", absent), "x"));
  EXPECT_TRUE(IsPassing(absl::UnavailableError("")));
  EXPECT_TRUE(IsPassing(kube::ToStatus(kube::ServiceUnavailable("", 1))));
  EXPECT_TRUE(IsPassing(kube::ToStatus(kube::TooManyRequests("", 1))));
  EXPECT_FALSE(IsPassing(absent));
  EXPECT_FALSE(IsPassing(kube::ToStatus(kube::Forbidden(kCsvs, "x", ""))));
  EXPECT_FALSE(IsPassing(absl::OkStatus()));
  EXPECT_EQ(While("reading", absl::UnavailableError("")).message(), "reading: UNAVAILABLE");
}

TEST(CleanupStatusTest, Decodes) {
  ASSERT_OK_AND_ASSIGN(
      const CleanupStatus status,
      DecodeCleanupStatusText(
          R"({"metadata":{"name":"w","namespace":"ops"},"status":{"phase":"Stalled",)"
          R"("enabled":true,"optedIn":true,"targetNamespaces":["b","a"],"pendingCount":7,)"
          R"("resources":[{"group":"example.com","plural":"widgets"}],"stalledSince":"t",)"
          R"("pendingDeletion":[{"resource":"widgets.example.com","name":"x","namespace":"a"}],)"
          R"("blockers":[{"reason":"R","message":"m","objects":["1","2","3","4","5","6"],)"
          R"("objectsElsewhere":3}],"conditions":[{"type":"CleanupStalled","message":"slow"}]}})"));
  EXPECT_EQ(status.phase, "Stalled");
  EXPECT_TRUE(status.enabled && status.opted_in);
  EXPECT_THAT(status.targets.names(), ElementsAre("a", "b"));
  EXPECT_EQ(status.pending_count, 7);
  EXPECT_THAT(status.resources, ElementsAre("widgets.example.com"));
  EXPECT_EQ(status.conditions.at(0).reason, "CleanupStalled");
  EXPECT_EQ(DescribeBlocker(status.blockers.at(0)), "R: m (1, 2, 3, 4, 5, 4 more)");
}

TEST(CleanupStatusTest, TargetsAreUnderstoodExactlyOrNotAtAll) {
  const auto decode = [](const std::string& targets) {
    return DecodeCleanupStatusText(R"({"metadata":{"name":"w"},"status":{"phase":"Ready",)"
                                   R"("targetNamespaces":)" +
                                   targets + "}}");
  };
  ASSERT_OK_AND_ASSIGN(const CleanupStatus all, decode(R"(["*"])"));
  EXPECT_TRUE(all.targets.all());
  ASSERT_OK_AND_ASSIGN(const CleanupStatus none, decode("null"));
  EXPECT_TRUE(none.targets.empty());
  for (const char* bad : {R"(["*","a"])", R"(["a",1])", R"("*")", "{}"}) {
    EXPECT_THAT(decode(bad), StatusIs(absl::StatusCode::kDataLoss)) << bad;
  }
}

TEST(RelatedTest, SubscriptionsNameWhatTheyInstall) {
  struct Case {
    const char* text;
    bool names;
  };
  for (const Case& c : {
           Case{R"({"status":{"installedCSV":"w.v1"}})", true},
           Case{R"({"status":{"currentCSV":"w.v1"}})", true},
           Case{R"({"status":{"currentCSV":"w.v1","installedCSV":"w.v0"}})", true},
           Case{R"({"spec":{"startingCSV":"w.v1"}})", true},
           Case{R"({"spec":{"startingCSV":"w.v1"},"status":{"installedCSV":"w.v2"}})", false},
           Case{R"({"spec":{"startingCSV":"w.v1"},"status":{"currentCSV":"w.v2"}})", false},
           Case{R"({"status":{"installedCSV":"w.v10"}})", false},
           Case{R"({"spec":3,"status":[]})", false},
       }) {
    EXPECT_EQ(SubscriptionNames(boost::json::parse(c.text).as_object(), "w.v1"), c.names) << c.text;
  }
}

TEST(RelatedTest, UnfinishedPlans) {
  const auto names = [](const std::string& phase) {
    return UnfinishedPlanNames(
        boost::json::parse(R"({"spec":{"clusterServiceVersionNames":["o.v1","w.v1"]},"status":)" +
                           phase + "}")
            .as_object(),
        "w.v1");
  };
  for (const char* phase : {R"({"phase":""})", "{}", "null", R"({"phase":"Planning"})",
                            R"({"phase":"RequiresApproval"})", R"({"phase":"Installing"})"}) {
    EXPECT_TRUE(names(phase)) << phase;
  }
  EXPECT_FALSE(names(R"({"phase":"Complete"})"));
  EXPECT_FALSE(names(R"({"phase":"Failed"})"));
}

TEST(CourseTest, WhatIsToBeDone) {
  struct Case {
    const char* name;
    Wish wish;
    bool enabled;
    bool opted_in;
    bool deleting;
    bool refused;
    bool deletes;
    bool opt_in;
    bool opt_out;
  };
  for (const Case& c : {
           Case{"nothing said", Wish::kAsItIs, true, false, false, false, false, false, false},
           Case{"opted in before", Wish::kAsItIs, true, true, false, false, true, false, false},
           Case{"opted in, unsupported", Wish::kAsItIs, false, true, false, false, false, false,
                false},
           Case{"--cleanup", Wish::kDelete, true, false, false, false, true, true, false},
           Case{"--cleanup again", Wish::kDelete, true, true, false, false, true, false, false},
           Case{"--cleanup, unsupported", Wish::kDelete, false, false, false, true, false, false,
                false},
           Case{"--keep", Wish::kKeep, true, true, false, false, false, false, true},
           Case{"--keep, nobody opted in", Wish::kKeep, true, false, false, false, false, false,
                false},
           Case{"going", Wish::kAsItIs, true, true, true, false, true, false, false},
           Case{"going, --cleanup", Wish::kDelete, true, true, true, false, true, false, false},
           Case{"too late to opt in", Wish::kDelete, true, false, true, true, false, false, false},
           Case{"too late to keep", Wish::kKeep, true, true, true, true, false, false, false},
       }) {
    SCOPED_TRACE(c.name);
    olm::CsvFacts facts;
    facts.cleanup_enabled = c.enabled;
    if (c.opted_in) facts.finalizers = {"operatorframework.io/delete-custom-resources"};
    if (c.deleting) facts.deletion_timestamp = "2023-11-14T22:13:20Z";
    const absl::StatusOr<Course> course = CourseFor(c.wish, facts);
    EXPECT_EQ(ExitOf(course.status()), c.refused ? Exit::kRefused : Exit::kDone);
    if (!course.ok()) continue;
    EXPECT_EQ(course->deletes_operands, c.deletes);
    EXPECT_EQ(course->opt_in, c.opt_in);
    EXPECT_EQ(course->opt_out, c.opt_out);
  }
}

TEST(OperandsTest, WithoutRightsToTheWholeClusterTheTargetsAreCounted) {
  TestScene scene;
  scene.PutWidget("a", "w1");
  scene.PutWidget("elsewhere", "w2");
  const auto targets = olm::TargetSet::Of({"a", "b"});
  ASSERT_OK_AND_ASSIGN(std::vector<olm::CrdPlan> plans,
                       scene.Run(ReadPlans(scene.client, {"widgets.example.com"}, targets)));
  ASSERT_OK_AND_ASSIGN(const OperandCounts all, scene.Run(CountOperands(scene.client, plans)));
  EXPECT_EQ(all.pending(), 1);
  EXPECT_EQ(all.kept(), 1);
  scene.client.FailNext({kube::ClientVerb::kList, kWidgets},
                        kube::ToStatus(kube::Forbidden(kWidgets, "", "not everywhere")));
  ASSERT_OK_AND_ASSIGN(const OperandCounts some, scene.Run(CountOperands(scene.client, plans)));
  EXPECT_EQ(some.pending(), 1);
  EXPECT_EQ(some.kept(), 0);
  EXPECT_FALSE(some.crds.at(0).kept_known);
}

TEST(OperandsTest, AGoneDefinitionHasNoOperandsAndAnUnreadableOneIsAnError) {
  TestScene scene;
  scene.fake.Delete(kCrds, {"", "widgets.example.com"});
  ASSERT_OK_AND_ASSIGN(
      std::vector<olm::CrdPlan> plans,
      scene.Run(ReadPlans(scene.client, {"widgets.example.com"}, olm::TargetSet::All())));
  ASSERT_OK_AND_ASSIGN(const OperandCounts none, scene.Run(CountOperands(scene.client, plans)));
  EXPECT_EQ(none.pending(), 0);
  scene.client.FailNext({kube::ClientVerb::kGet, kCrds},
                        kube::ToStatus(kube::Forbidden(kCrds, "gadgets.example.com", "no")));
  EXPECT_FALSE(
      scene.Run(ReadPlans(scene.client, {"gadgets.example.com"}, olm::TargetSet::All())).ok());
}

TEST(ProgressTest, Bars) {
  EXPECT_EQ(Bar(0, 10, 10), "[----------]");
  EXPECT_EQ(Bar(5, 10, 10), "[#####-----]");
  EXPECT_EQ(Bar(999, 1000, 10), "[#########-]");
  EXPECT_EQ(Bar(10, 10, 10), "[##########]");
  EXPECT_EQ(Bar(0, 0, 4), "[####]");
  EXPECT_EQ(ElapsedText(absl::Seconds(7)), "0:07");
  EXPECT_EQ(ElapsedText(absl::Seconds(3723)), "1:02:03");
}

TEST(ProgressTest, TheTotalIsTheMostThereEverWas) {
  Progress progress;
  OperandCounts counts;
  counts.crds.resize(1);
  counts.crds[0].crd = "widgets.example.com";
  for (const int left : {3, 1, 5, 0}) {
    counts.crds[0].to_delete["a"] = left;
    progress.Add(counts);
  }
  EXPECT_EQ(progress.Summary(), "widgets.example.com 5 of 5 deleted");
}

}  // namespace
}  // namespace steward::plugin

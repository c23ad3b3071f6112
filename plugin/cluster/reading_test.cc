#include <boost/json/parse.hpp>

#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/operands.h"
#include "plugin/cluster/related.h"
#include "plugin/cluster/resources.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace steward::plugin

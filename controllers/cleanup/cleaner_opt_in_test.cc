// Tests of how a cleaner judges whether an opt-in was authorised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/opt_in.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const absl::Duration kSettled = olm::kPolicySettles + absl::Seconds(5);

class CleanerOptInTest : public CleanerTest {
 protected:
  // Starts with an operator that was created with the policies, or `after` them.
  void StartUnconfirmed(bool opted_in, absl::Duration after = absl::ZeroDuration()) {
    ClusterShape shape;
    shape.confirmed = false;
    shape.opted_in = opted_in;
    shape.installed_after = after;
    Start(shape);
    Add({"a/x"});
  }
  void SetOptIn(bool wanted) {
    Merge(kCsvs, kCsv,
          StrCat(R"({"metadata":{"finalizers":["operators.coreos.com/csv-cleanup")",
                 wanted ? StrCat(",\"", kFinalizer, "\"") : "", "]}}"));
  }
  std::string Confirmed() {
    const json::value csv = cluster_->Csv();
    const json::object* labels = ObjectAt(*ObjectAt(csv.as_object(), "metadata"), "labels");
    return labels == nullptr ? ""
                             : std::string(StringAt(*labels, std::string(olm::kConfirmedLabel)));
  }
  SweepResult Sweep() {
    SweepResult swept = cluster_->Run(cleaner_->Sweep());
    EXPECT_OK(swept.failure);
    return swept;
  }
  void ExpectCleanedUp() {
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  }
  void ExpectRefused(const std::string& why) {
    Passes();
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), 0);
    EXPECT_THAT(events_.events, Contains(HasSubstr(why)));
  }
};

// Finding 1: no authorised user has ever opted in.
TEST_F(CleanerOptInTest, R_000_76_AnOptInFromBeforeThePolicyDeletesNothing) {
  StartUnconfirmed(true);
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("OptInUnconfirmed"), HasSubstr("take it off and add it again"));
  EXPECT_THAT(cluster_->Condition("RightsHeld"), HasSubstr("1 objects"));
  EXPECT_THAT(MetricsText(), HasSubstr("steward_cleanup_unconfirmed_opt_ins 1"));
  cluster_->clock().Advance(absl::Hours(1));
  Sweep();
  const int patches = Patches();
  EXPECT_OK(Pass().status());
  EXPECT_EQ(Patches(), patches) << "nothing changed, nothing is written";
  cluster_->DeleteCsv();
  ExpectRefused("OptInUnconfirmed");
  EXPECT_EQ(Confirmed(), "");
  EXPECT_THAT(MetricsText(), HasSubstr("steward_cleanup_unconfirmed_opt_ins 0"));
}

TEST_F(CleanerOptInTest, R_000_76_YoungerOperatorsAreConfirmed) {
  for (const bool before_the_delete : {true, false}) {
    StartUnconfirmed(true, kSettled);
    if (before_the_delete) {
      Passes();
      EXPECT_EQ(Confirmed(), cluster_->Proof());
      EXPECT_EQ(cluster_->Condition("OptInUnconfirmed"), "");
    }
    cluster_->DeleteCsv();
    ExpectCleanedUp();
  }
}

TEST_F(CleanerOptInTest, R_000_76_TakenOffAndAddedAgainItCounts) {
  StartUnconfirmed(true);
  cluster_->clock().Advance(kSettled);
  EXPECT_OK(Pass().status());
  SetOptIn(false);
  EXPECT_OK(Pass().status());
  EXPECT_EQ(cluster_->Condition("OptInUnconfirmed"), "");
  SetOptIn(true);
  Passes();
  EXPECT_EQ(Confirmed(), cluster_->Proof());
  cluster_->DeleteCsv();
  ExpectCleanedUp();
}

// Objects older than the policy are read once, when all API servers know the policy.
TEST_F(CleanerOptInTest, R_000_76_SeenWithoutBeforeItCounts) {
  for (const bool seen : {true, false}) {
    StartUnconfirmed(false);
    Sweep();  // too early
    cluster_->clock().Advance(kSettled);
    if (seen) Sweep();
    SetOptIn(true);
    cluster_->DeleteCsv();
    if (seen) ExpectCleanedUp();
    if (!seen) ExpectRefused("OptInUnconfirmed");
  }
}

// A new policy starts over.
TEST_F(CleanerOptInTest, R_000_76_AnotherPolicyVoidsOlderOptIns) {
  Start();
  Add({"a/x"});
  EXPECT_OK(Pass().status());
  EXPECT_EQ(cluster_->Condition("OptInUnconfirmed"), "");
  const kube::NamespacedName policy{"", std::string(olm::kOptInPolicy)};
  json::value object = cluster_->Run(cluster_->Find(kPolicies, policy));
  for (const char* key : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    object.at("metadata").as_object().erase(key);
  }
  cluster_->Run(cluster_->Remove(kPolicies, policy));
  cluster_->Run(cluster_->Create(kPolicies, "", json::serialize(object)));
  cluster_->clock().Advance(kSettled);
  EXPECT_THAT(Sweep().look_at, ElementsAre(kCsv));
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("OptInUnconfirmed"), Not(IsEmpty()));
  cluster_->DeleteCsv();
  ExpectRefused("OptInUnconfirmed");
}

// With --allow-unprotected-opt-in no authorisation is required, so none can be missing.
TEST_F(CleanerOptInTest, R_000_76_DoesNotCountWhereNothingIsProtected) {
  CleanerOptions options;
  options.guards.allow_unprotected = true;
  ClusterShape shape;
  shape.confirmed = false;
  Start(shape, options);
  Add({"a/x"});
  Passes();
  EXPECT_EQ(cluster_->Condition("OptInUnconfirmed"), "");
  Sweep();
  cluster_->DeleteCsv();
  ExpectCleanedUp();
  EXPECT_EQ(faults_->calls({kube::ClientVerb::kGet, kPolicies}), 0);
}

TEST_F(CleanerOptInTest, R_000_77_WhereDeletionIsNotProtectedNothingIsDeleted) {
  const kube::NamespacedName policy{"", std::string(olm::kUninstallPolicy)};
  for (const kube::GroupVersionResource& gvr : {kPolicies, kPolicyBindings}) {
    Start();
    Add({"a/x"});
    cluster_->Run(cluster_->Remove(gvr, policy));
    cluster_->DeleteCsv();
    ExpectRefused("DeletionNotProtected");
  }
}

}  // namespace
}  // namespace steward::controllers

// Tests of cleanups beside the copies that OLM makes of their operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/async/task_group.h"
#include "base/json/json_access.h"
#include "base/status/matchers.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CleanerCopiesTest : public CleanerTest {
 protected:
  void Start() {
    CleanerTest::Start();
    index_.emplace(cluster_->client(), cluster_->clock(), random_);
    tasks_.emplace(cluster_->io().get_executor());
    CleanerDeps deps{*faults_, leader_, events_, cluster_->clock(), metrics_, known_};
    deps.copies = &*index_;
    cleaner_ = std::make_unique<Cleaner>(deps, options_);
    EXPECT_OK(cluster_->Run(cleaner_->ListOriginals()));
    tasks_->Spawn("copies", index_->Run());
  }
  void TearDown() override {
    if (tasks_.has_value()) cluster_->Run(tasks_->Stop());
    CleanerTest::TearDown();
  }
  void Settle(size_t copies) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!index_->health().ok() || index_->unread() > 0 || index_->size() != copies) {
      ASSERT_LT(std::chrono::steady_clock::now(), patience);
      cluster_->clock().Advance(absl::Milliseconds(100));
      cluster_->io().restart();
      cluster_->io().run_for(std::chrono::milliseconds(1));
    }
  }
  void ProtectCopies() {
    cluster_->Run(cluster_->Create(
        kPolicies, "",
        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",)"
        R"("metadata":{"name":"steward-cleanup-copied-from"},"spec":{"failurePolicy":"Fail",)"
        R"("matchConstraints":{"resourceRules":[{"apiGroups":["operators.coreos.com"],)"
        R"("apiVersions":["*"],"operations":["UPDATE"],"resources":["clusterserviceversions"]}]},)"
        R"("validations":[{"expression":"false"}]}})"));
    cluster_->Run(cluster_->Create(
        kPolicyBindings, "",
        R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
        R"("kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"copies"},"spec":)"
        R"({"policyName":"steward-cleanup-copied-from","validationActions":["Deny"]}})"));
  }
  // Adds a copy as OLM makes it: its status comes a moment later.
  void AddCopy(const std::string& ns) {
    cluster_->Run(cluster_->Create(
        kCsvs, ns,
        R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
        R"("metadata":{"name":"widget.v1","labels":{"olm.copiedFrom":"ops"}},"spec":)"
        R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"},)"
        R"({"name":"gadgets.example.com"}]}}})"));
  }

  SeededRandom random_{1};
  std::optional<CopyIndex> index_;
  std::optional<TaskGroup> tasks_;
};

// An operator that is uninstalled right after its install, while OLM makes its copies, is neither
// refused nor released.
TEST_F(CleanerCopiesTest, R_000_85_CopiesInTheMakingDoNotCount) {
  Start();
  ProtectCopies();
  Add({"a/x", "b/y"});
  Settle(0);
  cluster_->DeleteCsv();
  AddCopy("a");
  EXPECT_OK(Pass().status());
  AddCopy("b");
  Settle(2);
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 2);
  EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
}

TEST_F(CleanerCopiesTest, R_000_85_AnOwnerHiddenByTheLabelCounts) {
  Start();
  ProtectCopies();
  Add({"a/x"});
  cluster_->Run(cluster_->AddOtherCsv(
      "c", "other.v1",
      R"({"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}})"));
  Merge(kCsvs, {"c", "other.v1"}, R"({"metadata":{"labels":{"olm.copiedFrom":"ops"}}})");
  Merge(kCsvs, {"c", "other.v1"}, R"({"status":{"reason":"Copied"}})", "status");
  Settle(1);
  cluster_->DeleteCsv();
  Passes();
  EXPECT_EQ(Deletes(), 0);
  EXPECT_TRUE(Released());
  EXPECT_THAT(events_.events, ::testing::Contains(HasSubstr("SharedOwner")));
}

TEST_F(CleanerCopiesTest, R_000_85_NothingIsDecidedBeforeCopiesAreKnown) {
  Start();
  ProtectCopies();
  Add({"a/x"});
  Settle(0);
  cluster_->Run(tasks_->Stop());
  cluster_->DeleteCsv();
  Passes(5);
  EXPECT_EQ(Deletes(), 0);
  EXPECT_FALSE(Released());
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("olm.copiedFrom"));
}

// Without the policy any user may hide an owner while the watch is behind, so all are listed.
TEST_F(CleanerCopiesTest, R_000_85_UnprotectedCopiesAreListed) {
  Start();
  Add({"a/x"});
  Settle(0);
  cluster_->Run(tasks_->Stop());
  cluster_->DeleteCsv();
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
}

// The need to list them again is no reason to try a failed list again.
TEST_F(CleanerCopiesTest, R_000_85_AListThatFailedStaysUnread) {
  Start();
  Add({"a/x"});
  Settle(0);
  cluster_->DeleteCsv();
  faults_->FailNext({ClientVerb::kList, kCsvs}, absl::UnavailableError("nobody answers"));
  EXPECT_OK(Pass().status());
  EXPECT_THAT(cluster_->Condition("CleanupUnknown"), HasSubstr("nobody answers"));
  EXPECT_EQ(Record(), "");
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_EQ(Deletes(), 1);
}

// OLM copies the whole status into other tenants' namespaces.
TEST_F(CleanerCopiesTest, R_000_90_AStatusThatIsCopiedNamesNobody) {
  Start();
  ProtectCopies();
  Add({"a/secret-x", "b/secret-y"}, /*with_finalizer=*/true);
  AddCopy("a");
  Settle(1);
  cluster_->DeleteCsv();
  Passes(10);
  cluster_->clock().Advance(absl::Minutes(11));
  Passes(3);
  const boost::json::object status = *ObjectAt(cluster_->Csv().as_object(), "status");
  const std::string text = boost::json::serialize(status);
  EXPECT_THAT(text, HasSubstr("cleanup for 2 CRs: 2 Widget"));
  EXPECT_THAT(text, HasSubstr("kubectl get cleanupstatus -n ops widget.v1"));
  EXPECT_THAT(text, HasSubstr("NoProgress"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("secret")));
  // The copies of the operator are deleted now.
  cluster_->Run(cluster_->Remove(kCsvs, {"a", "widget.v1"}));
  Settle(0);
  cluster_->clock().Advance(absl::Minutes(1));
  Passes(3);
  EXPECT_THAT(boost::json::serialize(*ObjectAt(cluster_->Csv().as_object(), "status")),
              HasSubstr("secret-x"));
}

// This also holds where nobody follows the copies, and while rounds of deletions are reported.
TEST_F(CleanerCopiesTest, R_000_90_NorWhereCopiesAreListed) {
  CleanerOptions options;
  options.guards.allow_unprotected = true;
  options.deleter.round = 1;
  CleanerTest::Start({}, options);
  Add({"a/secret-x", "b/secret-y", "b/secret-z"}, /*with_finalizer=*/true);
  AddCopy("a");
  cluster_->DeleteCsv();
  const auto told = [this] {
    return boost::json::serialize(*ObjectAt(cluster_->Csv().as_object(), "status"));
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(Pass().status());
    EXPECT_THAT(told(), ::testing::Not(HasSubstr("secret"))) << i;
    cluster_->clock().Advance(absl::Seconds(11));
  }
  EXPECT_THAT(told(), HasSubstr("cleanup for 3 CRs: 3 Widget"));
  // While the list of copies cannot be read, no object is named that was not named before.
  faults_->FailNext({ClientVerb::kList, kCsvs}, absl::UnavailableError("nobody answers"), 2);
  EXPECT_OK(Pass().status());
  EXPECT_THAT(told(), ::testing::Not(HasSubstr("secret")));
  faults_->ForgetFaults(kCsvs);
  cluster_->Run(cluster_->Remove(kCsvs, {"a", "widget.v1"}));
  cluster_->clock().Advance(absl::Minutes(1));
  Passes(3);
  EXPECT_THAT(told(), HasSubstr("secret-x"));
}

TEST_F(CleanerCopiesTest, ReadingsAreTimed) {
  Start();
  cluster_->DeleteCsv();
  Passes();
  EXPECT_THAT(MetricsText(), HasSubstr("steward_cleanup_guard_read_seconds_count"));
  EXPECT_THAT(MetricsText(),
              ::testing::Not(HasSubstr("steward_cleanup_guard_read_seconds_count 0")));
}

}  // namespace
}  // namespace steward::controllers

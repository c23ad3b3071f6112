// The cluster-admin's choice, as the reconciler "copied-csvs" carries it out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "controllers/copied_csv/testing/copies_process.h"
#include "controllers/copies/copy_state.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "kube/testing/hook_client.h"
#include "olm/copy/comparison.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kOff[] = R"({"disableCopiedCSVs":true})";
constexpr char kOn[] = R"({"disableCopiedCSVs":false})";

class ToggledCopiesTest : public ::testing::Test {
 protected:
  ToggledCopiesTest() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
    cluster_.PutCsv("ops", "etcd.v1");
  }
  void Start(CopyToggleDefaults toggle = {}) {
    process_.emplace(cluster_, clock_, io_, std::move(toggle));
    process_->Look();
  }
  void Choose(const std::string& features) {
    cluster_.PutOlmConfig(features);
    process_->Pass(absl::Seconds(3));
  }
  int Calls(ClientVerb verb) { return process_->faults().calls({verb, kTestCsvs}); }

  const testing::Matcher<std::set<std::string>> all_ = ElementsAre("blue/etcd.v1", "red/etcd.v1");
  FakeClock clock_;
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  std::optional<CopiesProcess> process_;
};

TEST_F(ToggledCopiesTest, R_004_17_18_19_OffDeletesAndOnMakesAgain) {
  Start();
  EXPECT_THAT(cluster_.Copies(), all_);
  Choose(kOff);
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  EXPECT_NE(cluster_.Find({"ops", "etcd.v1"}), nullptr) << "the original stays";
  EXPECT_EQ(Calls(ClientVerb::kDelete), 2);
  cluster_.PutNamespace("new");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), IsEmpty()) << "no more are made";
  Choose(kOn);
  EXPECT_THAT(cluster_.Copies(), ElementsAre("blue/etcd.v1", "new/etcd.v1", "red/etcd.v1"));
}

TEST_F(ToggledCopiesTest, R_004_26_DeletingTheOlmConfigMakesThemAtOnce) {
  cluster_.PutOlmConfig(kOff);
  Start();
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  cluster_.DropOlmConfig();
  process_->Pass(absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), all_);
}

TEST_F(ToggledCopiesTest, R_004_28_OtherOperatorsKeepTheirs) {
  cluster_.PutNamespace("one");
  cluster_.PutGroup("one", "g", R"({"targetNamespaces":["red"]})");
  cluster_.PutCsv("one", "single.v1");
  cluster_.PutOlmConfig(kOff);
  Start();
  EXPECT_THAT(cluster_.Copies(), ElementsAre("red/single.v1"));
}

TEST_F(ToggledCopiesTest, R_004_48_ProtectedNamespacesKeepTheirs) {
  Start({.disabled = false, .protected_namespaces = {"red", "ops", "absent"}});
  Choose(kOff);
  EXPECT_THAT(cluster_.Copies(), ElementsAre("red/etcd.v1"));
}

TEST_F(ToggledCopiesTest, ATurnThatWasInterruptedIsFinishedAfterARestart) {
  Start();
  process_->faults().FailNext({ClientVerb::kDelete, kTestCsvs}, absl::UnavailableError("reset"),
                              1000);
  Choose(kOff);
  EXPECT_THAT(cluster_.Copies(), all_);
  process_.reset();
  Start();
  process_->Pass(absl::Seconds(3));
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
}

TEST_F(ToggledCopiesTest, FlippingFastConverges) {
  Start();
  for (int turn = 0; turn < 20; ++turn) {
    cluster_.PutOlmConfig(turn % 2 == 0 ? kOff : kOn);
    process_->Pass(absl::Milliseconds(50), absl::Milliseconds(50));
  }
  process_->Pass(absl::Seconds(30), absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), all_);
}

// The watch says "off"; the cluster itself says "on" by now.
TEST_F(ToggledCopiesTest, NothingIsDeletedByWhatTheWatchSaysAlone) {
  Start();
  process_->faults().Hold({ClientVerb::kGet, kTestOlmConfigs});
  Choose(kOff);
  EXPECT_THAT(cluster_.Copies(), all_) << "the live reading has not come";
  cluster_.fake().BreakWatches(kTestOlmConfigs);
  process_->faults().FailNext({ClientVerb::kWatch, kTestOlmConfigs}, absl::UnavailableError("away"),
                              1000);
  process_->faults().FailNext({ClientVerb::kList, kTestOlmConfigs}, absl::UnavailableError("away"),
                              1000);
  cluster_.PutOlmConfig(kOn);
  process_->faults().Release({ClientVerb::kGet, kTestOlmConfigs});
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), all_);
  EXPECT_EQ(Calls(ClientVerb::kDelete), 0);
}

TEST_F(ToggledCopiesTest, WhatCannotBeReadDeletesNothing) {
  Start();
  process_->faults().FailNext({ClientVerb::kGet, kTestOlmConfigs}, absl::UnavailableError("away"),
                              3);
  cluster_.PutOlmConfig(kOff);
  process_->Pass(absl::Milliseconds(500));
  EXPECT_EQ(Calls(ClientVerb::kDelete), 0);
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_THAT(cluster_.Copies(), IsEmpty()) << "once it can be read";
}

TEST_F(ToggledCopiesTest, WhatIsNotUnderstoodChangesNothing) {
  Start();
  Choose(R"({"disableCopiedCSVs":"true"})");
  EXPECT_THAT(cluster_.Copies(), all_);
  cluster_.PutNamespace("new");
  process_->Look();
  EXPECT_THAT(cluster_.Copies(), all_) << "neither made nor deleted";
}

TEST_F(ToggledCopiesTest, ReadingsAreShared) {
  for (int n = 0; n < 50; ++n) cluster_.PutNamespace("n" + std::to_string(n));
  Start();
  Choose(kOff);
  EXPECT_THAT(cluster_.Copies(), IsEmpty());
  EXPECT_LE(process_->faults().calls({ClientVerb::kGet, kTestOlmConfigs}), 3);
}

TEST_F(ToggledCopiesTest, TheBoardCountsWhatDiffers) {
  Start();
  const auto count = [this] {
    EXPECT_NE(process_->copy_state.source(), nullptr);
    EXPECT_TRUE(process_->copy_state.source()->Knows());
    return process_->copy_state.source()->Count("etcd.v1");
  };
  EXPECT_THAT(process_->copy_state.source()->Names(), ElementsAre("etcd.v1"));
  EXPECT_EQ(count().missing, 0u);
  EXPECT_EQ(count().unexpected, 0u);
  process_->faults().FailNext({ClientVerb::kDelete, kTestCsvs}, absl::UnavailableError("reset"),
                              1000);
  Choose(kOff);
  EXPECT_EQ(count().unexpected, 2u);
  process_->faults().ForgetFaults(kTestCsvs);
  process_->faults().FailNext({ClientVerb::kCreate, kTestCsvs}, absl::UnavailableError("reset"),
                              1000);
  process_->Pass(absl::Minutes(1), absl::Seconds(1));
  EXPECT_EQ(count().unexpected, 0u);
  Choose(kOn);
  EXPECT_EQ(count().missing, 2u);
}

TEST_F(ToggledCopiesTest, CopiesOfWhichNobodyKnowsWhoseTheyAreAreCountedApart) {
  Start();
  cluster_.DropGroup("ops", "g");
  process_->Look();
  Choose(kOff);
  olm::CopyCounts counts = process_->copy_state.source()->Count("etcd.v1");
  EXPECT_EQ(counts.unexplained, 2u) << "the operator's group is gone";
  EXPECT_EQ(counts.unexpected, 0u);
  cluster_.PutGroup("ops", "g", "{}");
  process_->Look();
  EXPECT_EQ(process_->copy_state.source()->Count("etcd.v1").unexplained, 0u);
}

TEST_F(ToggledCopiesTest, WhatIsNoBusinessOfTheChoiceIsNotCounted) {
  cluster_.PutNamespace("one");
  cluster_.PutGroup("one", "g", R"({"targetNamespaces":["red"]})");
  cluster_.PutCsv("one", "single.v1");
  cluster_.PutNamespace("green", "", /*terminating=*/true);
  cluster_.PutCsv("blue", "etcd.v1", {.note = "own"});
  process_.emplace(cluster_, clock_, io_);
  process_->faults().FailNext({ClientVerb::kCreate, kTestCsvs}, absl::UnavailableError("reset"),
                              1000);
  process_->Look();
  EXPECT_EQ(process_->copy_state.source()->Count("single.v1").missing, 0u);
  EXPECT_EQ(process_->copy_state.source()->Count("etcd.v1").missing, 2u) << "red and one alone";
}

}  // namespace
}  // namespace steward::controllers

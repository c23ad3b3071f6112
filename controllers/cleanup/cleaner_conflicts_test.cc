// Writes that meet a changed object, and lists and rights that are missing at the end of a cleanup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/testing/cleaner_fixture.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::NamespacedName kOther = {"ops", "other.v1"};

class ConflictTest : public CleanerTest {
 protected:
  // Lets so many patches of the CSV pass, and has the next one meet a changed object.
  void ConflictAfter(int patches, const std::string& csv) {
    const kube::Calls calls{ClientVerb::kPatch, kCsvs, csv};
    if (patches > 0) faults_->FailNext(calls, absl::OkStatus(), patches);
    faults_->FailNext(calls, kube::ToStatus(kube::Conflict(kCsvs, csv, "it was changed")));
  }
  std::string RefusalOf(const kube::NamespacedName& csv) {
    return cluster_->Annotation(olm::kRefusalAnnotation, csv);
  }
};

TEST_F(ConflictTest, R_000_66_AtAnyWriteOfACleanup) {
  for (int patches = 0; patches < 10; ++patches) {
    SCOPED_TRACE(patches);
    Start();
    EXPECT_OK(Pass().status());
    Add({"a/x", "b/y"});
    cluster_->DeleteCsv();
    ConflictAfter(patches, kCsv.name);
    for (int i = 0; i < 40 && !Released(); ++i) {
      PassesOver(kCsv, 1);
      EXPECT_EQ(RefusalOf(kCsv), "");
      if (Deletes() > 0 && !Released()) {
        EXPECT_NE(Record(), "");
        EXPECT_NE(cluster_->Condition(std::string(olm::kWaitingOnCleanup)), "") << "not announced";
      }
    }
    EXPECT_TRUE(Released());
    EXPECT_EQ(Deletes(), 2);
    EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  }
}

// An operator that is refused tells the others before it goes: they would be alone then.
TEST_F(ConflictTest, R_000_60_AtAnyWriteOfARefusal) {
  for (int patches = 0; patches < 6; ++patches) {
    for (const std::string& conflicting : {kCsv.name, kOther.name}) {
      SCOPED_TRACE(StrCat(patches, " ", conflicting));
      Start();
      Add({"a/x"});
      AddOptedIn(kOther.name, R"({"name":"widgets.example.com"})", "Succeeded");
      AddOptedIn("stays.v1", R"({"name":"widgets.example.com"})", "Succeeded");
      cluster_->Run(cluster_->Remove(kCsvs, kOther));
      cluster_->DeleteCsv();
      ConflictAfter(patches, conflicting);
      for (int i = 0; i < 60 && !Released(); ++i) {
        PassesOver(kCsv, 1);
        if (Released()) {
          EXPECT_THAT(RefusalOf(kOther), HasSubstr(kCsv.name));
        }
      }
      EXPECT_TRUE(Released());
      EXPECT_EQ(RefusalOf({"ops", "stays.v1"}), "") << "it is not being deleted";
      EXPECT_EQ(Deletes(), 0);
    }
  }
}

TEST_F(ConflictTest, R_000_60_AnAbortTellsTheOthersFirst) {
  Start();
  AddOptedIn(kOther.name, R"({"name":"widgets.example.com"})", "Succeeded");
  cluster_->Run(cluster_->Remove(kCsvs, kOther));
  cluster_->DeleteCsv();
  Merge(kCsvs, kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
  faults_->FailNext({ClientVerb::kList, kCsvs}, kube::ToStatus(kube::InternalError("storage")),
                    1000);
  Passes(3);
  EXPECT_FALSE(Released());
  faults_->ForgetFaults(kCsvs);
  ConflictAfter(0, kOther.name);
  PassesOver(kCsv, 1);
  EXPECT_FALSE(Released()) << "the other one was not told";
  Passes();
  EXPECT_TRUE(Released());
  EXPECT_THAT(RefusalOf(kOther), HasSubstr(kCsv.name));
}

TEST_F(ConflictTest, R_000_73_RightsAreHeldAnewWhileSomethingIsPending) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  Merge(kClusterRoles, {"", "widget-role"}, R"({"metadata":{"finalizers":null}})");
  cluster_->clock().Advance(absl::Seconds(30));
  Passes(3);
  EXPECT_THAT(FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "widget-role"}))),
              ElementsAre(std::string(olm::kHoldFinalizer)));
}

// An object has done nothing of what this process remembers of an earlier one of its name.
TEST_F(ConflictTest, R_000_71_AnOperatorOfTheSameNameIsAnother) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(5);
  ASSERT_EQ(Deletes(), 1);
  cluster_->Run(cluster_->OperatorFinishes(5));
  Merge(kCsvs, kCsv, R"({"metadata":{"finalizers":null}})");
  ASSERT_TRUE(cluster_->Csv().is_null());
  Add({"b/y"});
  AddOptedIn(kCsv.name, R"({"name":"widgets.example.com"})", "Succeeded");
  cluster_->DeleteCsv();
  for (int i = 0; i < 40 && !Released(); ++i) {
    PassesOver(kCsv, 1);
    EXPECT_EQ(RefusalOf(kCsv), "");
  }
  EXPECT_TRUE(Released());
  EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
}

// The definition is what is pending, and its objects with it.
TEST_F(ConflictTest, R_000_70_ADefinitionWithoutObjectsThatGoes) {
  Start();
  cluster_->DeleteCsv();
  cluster_->Run(cluster_->Remove(kCrds, {"", "widgets.example.com"}));
  Passes(5);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->FinishCrd("widgets.example.com"));
  Passes();
  EXPECT_TRUE(Released());
}

// After a refusal nothing more is deleted, and cleanup waits only for earlier deletions.
TEST_F(ConflictTest, R_000_70_ADefinitionThatGoesAfterARefusal) {
  Start();
  EXPECT_OK(Pass().status());
  Add({"a/x"}, true);
  cluster_->DeleteCsv();
  Passes(4);
  ASSERT_EQ(Deletes(), 1);
  cluster_->SetDeployment("widget-operator", false);
  Passes(4);
  cluster_->Run(cluster_->Remove(kCrds, {"", "widgets.example.com"}));
  cluster_->Run(cluster_->OperatorFinishes(5));
  cluster_->clock().Advance(absl::Seconds(30));
  Passes();
  EXPECT_TRUE(Released());
}

}  // namespace
}  // namespace steward::controllers

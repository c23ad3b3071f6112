#include "controllers/cleanup/guards/csv_lister.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CsvListerTest : public ::testing::Test {
 protected:
  CsvListerTest() {
    cluster_.Serve(kCsvs);
    hook_.decide = [this](const kube::HookedCall& call) {
      if (call.list != nullptr) {
        asked_.push_back(call.list->metadata_only ? "metadata" : "whole");
      } else {
        asked_.push_back(call.name.name);
        if (before_get_) before_get_();
      }
      return kube::HookedFate();
    };
  }

  void Put(const std::string& name, const std::string& owned, const std::string& metadata = "",
           const std::string& status = "", const std::string& ns = "ops") {
    cluster_.Put(kCsvs,
                 StrCat(R"({"metadata":{"namespace":")", ns, R"(","name":")", name, "\"", metadata,
                        R"(},"spec":{"customresourcedefinitions":{"owned":[{"name":")", owned,
                        R"("}]}},"status":{)", status, "}}"));
  }
  // Puts a copy into another namespace.
  void PutCopy(const std::string& name, const std::string& owned) {
    Put(name, owned, R"(,"labels":{"olm.copiedFrom":"ops"})", "", "tenant");
  }
  std::vector<std::string> Told(const absl::StatusOr<CsvListing>& listing) {
    EXPECT_OK(listing.status());
    std::vector<std::string> told;
    for (const olm::CsvFacts& csv : listing->csvs) {
      told.push_back(StrCat(csv.key.name, " ", *csv.owned_crds.begin()));
    }
    return told;
  }
  std::vector<std::string> List() { return Told(RunOn(io_, lister_.List())); }
  std::vector<std::string> Asked() { return std::exchange(asked_, {}); }

  boost::asio::io_context io_{1};
  std::vector<std::string> asked_;    // of lists what of each object, of gets the names
  std::function<void()> before_get_;  // changes objects before they are read
  kube::FakeClient cluster_;
  kube::Hook hook_;
  kube::HookClient client_{cluster_, hook_};
  CsvLister lister_{client_};
};

TEST_F(CsvListerTest, WhatHasNotChangedIsReadOnce) {
  Put("b", "b.g.io");
  Put("a", "a.g.io");
  EXPECT_THAT(List(), ElementsAre("a a.g.io", "b b.g.io"));
  EXPECT_THAT(Asked(), ElementsAre("whole"));
  EXPECT_THAT(List(), ElementsAre("a a.g.io", "b b.g.io"));
  EXPECT_THAT(Asked(), ElementsAre("metadata"));
}

TEST_F(CsvListerTest, ChangesAreRead) {
  Put("a", "a.g.io");
  Put("b", "b.g.io");
  List();
  Asked();
  Put("a", "other.g.io");
  Put("c", "c.g.io");
  cluster_.Delete(kCsvs, {"ops", "b"});
  EXPECT_THAT(List(), ElementsAre("a other.g.io", "c c.g.io"));
  EXPECT_THAT(Asked(), ElementsAre("metadata", "a", "c"));
  EXPECT_EQ(lister_.kept(), 2u);
  // A new object replaces one under a known name.
  cluster_.Delete(kCsvs, {"ops", "a"});
  Put("a", "third.g.io");
  EXPECT_THAT(List(), ElementsAre("a third.g.io", "c c.g.io"));
}

TEST_F(CsvListerTest, ProvenCopiesAreNamesOnly) {
  Put("a", "a.g.io");
  PutCopy("a", "a.g.io");
  const absl::StatusOr<CsvListing> first = RunOn(io_, lister_.List());
  EXPECT_THAT(Told(first), ElementsAre("a a.g.io"));
  EXPECT_THAT(first->names,
              ElementsAre(kube::NamespacedName{"ops", "a"}, kube::NamespacedName{"tenant", "a"}));
  const absl::StatusOr<CsvListing> second = RunOn(io_, lister_.List());
  EXPECT_THAT(Told(second), ElementsAre("a a.g.io"));
  EXPECT_EQ(second->names, first->names);
  EXPECT_THAT(Asked(), ElementsAre("whole", "metadata"));
  // The label alone proves nothing (R-000-85).
  PutCopy("a", "c.g.io");
  EXPECT_THAT(List(), ElementsAre("a a.g.io", "a c.g.io"));
}

// A copy may have been given a finalizer as well, and would never go.
TEST_F(CsvListerTest, WhoWaitsForUsIsTold) {
  constexpr char kDeleting[] = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  const auto finalizer = [](std::string_view name) {
    return StrCat(R"(,"finalizers":[")", name, R"("])");
  };
  Put("stays", "a.g.io", finalizer(olm::kCleanupFinalizer));
  Put("others", "b.g.io", StrCat(finalizer("example.com/other"), kDeleting));
  Put("waits", "c.g.io", StrCat(finalizer(olm::kCleanupFinalizer), kDeleting));
  Put("legacy", "d.g.io", StrCat(finalizer(olm::kLegacyCleanupFinalizer), kDeleting));
  Put("copy", "c.g.io",
      StrCat(R"(,"labels":{"olm.copiedFrom":"x"})", finalizer(olm::kCleanupFinalizer), kDeleting),
      R"("reason":"Copied")");
  for (const char* how : {"whole", "metadata"}) {
    const absl::StatusOr<CsvListing> listing = RunOn(io_, lister_.List());
    ASSERT_OK(listing.status());
    EXPECT_THAT(Asked(), ElementsAre(how));
    EXPECT_THAT(listing->waiting, ElementsAre(kube::NamespacedName{"ops", "copy"},
                                              kube::NamespacedName{"ops", "legacy"},
                                              kube::NamespacedName{"ops", "waits"}));
  }
}

// One list shows one moment. A definition that changes owners between the list and the reading of a
// changed object must not look as if it had no owner.
TEST_F(CsvListerTest, WhatChangesOnceMoreMakesTheListVoid) {
  Put("a", "none.g.io");
  Put("b", "x.g.io");
  List();
  Put("b", "x.g.io", R"(,"labels":{"changed":"yes"})");
  Asked();
  bool done = false;
  before_get_ = [&] {
    if (std::exchange(done, true)) return;
    Put("a", "x.g.io");
    Put("b", "none.g.io");
  };
  EXPECT_THAT(List(), ElementsAre("a x.g.io", "b none.g.io"));
  EXPECT_THAT(Asked(), ElementsAre("metadata", "b", "metadata", "a", "b"));
}

TEST_F(CsvListerTest, WhatIsGoneMeanwhileMakesTheListVoid) {
  Put("a", "a.g.io");
  Put("b", "b.g.io");
  List();
  Put("b", "other.g.io");
  before_get_ = [&] {
    if (cluster_.Objects(kCsvs).size() == 2) cluster_.Delete(kCsvs, {"ops", "b"});
  };
  const absl::StatusOr<CsvListing> listing = RunOn(io_, lister_.List());
  EXPECT_THAT(Told(listing), ElementsAre("a a.g.io"));
  EXPECT_THAT(listing->names, ElementsAre(kube::NamespacedName{"ops", "a"}));
}

TEST_F(CsvListerTest, WhereNothingStandsStillAWholeListIsMade) {
  Put("a", "a.g.io");
  List();
  Put("a", "b.g.io");
  Asked();
  before_get_ = [&] { Put("a", "c.g.io"); };
  EXPECT_THAT(List(), ElementsAre("a c.g.io"));
  EXPECT_THAT(Asked(), ElementsAre("metadata", "a", "metadata", "a", "metadata", "a", "whole"));
}

TEST_F(CsvListerTest, ManyChangesAreReadTogether) {
  Put("a", "a.g.io");
  List();
  Asked();
  for (size_t i = 0; i <= CsvLister::kMaxReadAlone; ++i) Put(StrCat("b", i), "b.g.io");
  EXPECT_EQ(List().size(), CsvLister::kMaxReadAlone + 2);
  EXPECT_THAT(Asked(), ElementsAre("metadata", "whole"));
}

TEST_F(CsvListerTest, AnErrorIsNoList) {
  Put("a", "a.g.io");
  cluster_.FailNext(ClientVerb::kList, kCsvs, kube::ToStatus(kube::InternalError("storage")));
  EXPECT_FALSE(RunOn(io_, lister_.List()).ok());
  List();
  cluster_.FailNext(ClientVerb::kList, kCsvs, kube::ToStatus(kube::InternalError("storage")));
  EXPECT_FALSE(RunOn(io_, lister_.List()).ok());
  Put("a", "b.g.io");
  cluster_.FailNext(ClientVerb::kGet, kCsvs, kube::ToStatus(kube::InternalError("storage")));
  EXPECT_FALSE(RunOn(io_, lister_.List()).ok());
  EXPECT_THAT(List(), ElementsAre("a b.g.io"));
}

TEST_F(CsvListerTest, SaysWhatAWholeListWouldSay) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    for (unsigned changes = random() % 4; changes > 0; --changes) {
      const std::string name = StrCat("csv", random() % 8);
      switch (random() % 4) {
        case 0:
          if (cluster_.Objects(kCsvs).contains({"ops", name})) {
            cluster_.Delete(kCsvs, {"ops", name});
          }
          break;
        case 1:
          PutCopy(name, StrCat("d", random() % 5, ".g.io"));
          break;
        default:
          Put(name, StrCat("d", random() % 5, ".g.io"));
      }
    }
    CsvLister fresh(cluster_);
    const absl::StatusOr<CsvListing> whole = RunOn(io_, fresh.List());
    const absl::StatusOr<CsvListing> listing = RunOn(io_, lister_.List());
    ASSERT_OK(listing.status());
    ASSERT_EQ(listing->names, whole->names);
    ASSERT_EQ(listing->csvs, whole->csvs);
  }
}

}  // namespace
}  // namespace steward::controllers

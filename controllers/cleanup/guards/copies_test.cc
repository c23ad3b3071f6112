// Tests of which ClusterServiceVersions with the label of copies count, and of the reads that it
// takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/task_group.h"
#include "base/async/yield.h"
#include "base/status/macros.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/testing/cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A definition that TestCluster's operator owns.
constexpr char kWidgetCrd[] = "widgets.example.com";

// The client of the index: its watches can be held up while they seem to run.
class LateClient : public kube::HookClient {
 public:
  using kube::HookClient::HookClient;
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    CO_ASSIGN_OR_RETURN(std::unique_ptr<kube::Watch> watch,
                        co_await kube::HookClient::StartWatch(gvr, options));
    co_return std::make_unique<LateWatch>(std::move(watch), held);
  }
  std::shared_ptr<bool> held = std::make_shared<bool>(false);

 private:
  class LateWatch : public kube::Watch {
   public:
    LateWatch(std::unique_ptr<kube::Watch> inner, std::shared_ptr<bool> held)
        : inner_(std::move(inner)), held_(std::move(held)) {}
    Task<std::optional<kube::WatchEvent>> Next() override {
      absl::StatusOr<std::optional<kube::WatchEvent>> event = co_await inner_->Next();
      while (*held_) co_await Yield();
      co_return event;
    }

   private:
    const std::unique_ptr<kube::Watch> inner_;
    const std::shared_ptr<bool> held_;
  };
};

class CopiesTest : public ::testing::Test {
 protected:
  ~CopiesTest() override {
    *watched_.held = false;
    cluster_.Run(tasks_.Stop());
  }

  // Runs until `is_so` returns true; other tasks run meanwhile.
  void Until(const std::function<bool()>& is_so) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!is_so()) {
      ASSERT_LT(std::chrono::steady_clock::now(), patience);
      cluster_.clock().Advance(absl::Milliseconds(100));
      cluster_.io().restart();
      cluster_.io().run_for(std::chrono::milliseconds(1));
    }
  }
  bool IsSynced() { return index_.health().ok() && index_.unread() == 0; }
  void Follow() {
    EXPECT_OK(cluster_.Run(lister_.List(CopyReading::kIgnored)).status());
    tasks_.Spawn("copies", index_.Run());
    Until([this] { return IsSynced(); });
  }
  void Add(const std::string& ns, const std::string& name, const std::string& owned,
           const std::string& label = "", const std::string& more_spec = "",
           const std::string& required = "") {
    cluster_.Run(cluster_.Create(
        kCsvs, ns,
        StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
               R"("metadata":{"name":")", name, "\"",
               label.empty() ? "" : StrCat(R"(,"labels":{"olm.copiedFrom":")", label, R"("})"),
               R"(},"spec":{)", more_spec, R"("customresourcedefinitions":{"owned":[{"name":")",
               owned, "\"}]",
               required.empty() ? "" : StrCat(R"(,"required":[{"name":")", required, "\"}]"),
               "}}}")));
  }
  // Adds a copy of ops/widget.v1 as OLM makes it, before its status is written.
  void AddCopy(const std::string& ns) { Add(ns, kCsv.name, kWidgetCrd, "ops"); }
  void Merge(const kube::NamespacedName& name, const std::string& patch,
             const std::string& subresource = "") {
    cluster_.Run(cluster_.Merge(kCsvs, name, patch, subresource));
  }
  void SetLabel(const kube::NamespacedName& name, const std::string& value) {
    Merge(name, StrCat(R"({"metadata":{"labels":{"olm.copiedFrom":")", value, R"("}}})"));
  }
  // The ClusterServiceVersions that count, as "ns/name"; or the error.
  std::vector<std::string> Counted() {
    const absl::StatusOr<CsvListing> listing = cluster_.Run(lister_.List(CopyReading::kFollowed));
    if (!listing.ok()) return {std::string(listing.status().message())};
    std::vector<std::string> counted;
    for (const olm::CsvFacts& csv : listing->csvs) {
      counted.push_back(StrCat(csv.key.ns, "/", csv.key.name));
    }
    return counted;
  }
  int Reads(kube::HookClient& of) {
    return of.calls({ClientVerb::kGet, kCsvs}) + of.calls({ClientVerb::kList, kCsvs});
  }

  TestCluster cluster_;
  SeededRandom random_{1};
  LateClient watched_{cluster_.client(), cluster_.clock()};
  kube::HookClient asked_{cluster_.client(), cluster_.clock()};
  CopyIndex index_{watched_, cluster_.clock(), random_};
  CsvLister lister_{asked_, {}, &index_};
  TaskGroup tasks_{cluster_.io().get_executor()};
};

TEST_F(CopiesTest, R_000_85_ProvenCopiesCostNothing) {
  AddCopy("a");
  AddCopy("b");
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  const int before = Reads(asked_);
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  EXPECT_EQ(Reads(asked_), before + 1) << "one list, whatever number of copies there is";
  EXPECT_EQ(index_.size(), 2u);
}

TEST_F(CopiesTest, R_000_91_CopiesThatSayTheSameAreOneContent) {
  for (const char* ns : {"a", "b", "c"}) AddCopy(ns);
  Add("a", "other.v1", "x.example.com", "ops");
  Follow();
  EXPECT_EQ(index_.size(), 4u);
  EXPECT_EQ(index_.contents(), 2u);
  EXPECT_TRUE(index_.MayHaveCopiesOf(kCsv));
  EXPECT_FALSE(index_.MayHaveCopiesOf({"a", kCsv.name}));
}

// One copy represents all with equal claims. If its claims have changed since, the others would be
// left out.
TEST_F(CopiesTest, R_000_85_ARepresentativeThatSaysOtherwiseMakesTheListVoid) {
  for (const char* ns : {"a", "b"}) Add(ns, "other.v1", kWidgetCrd, "x");
  Follow();
  const std::vector<std::string> before = Counted();
  ASSERT_EQ(before.size(), 2u);
  const std::string ns = before.front().substr(0, 1);
  *watched_.held = true;
  Merge({ns, "other.v1"},
        R"({"spec":{"customresourcedefinitions":{"owned":[{"name":"more.example.com"}]}}})");
  EXPECT_THAT(Counted(), ElementsAre("ClusterServiceVersions change while they are read"));
  *watched_.held = false;
  Until([this] { return index_.contents() == 2 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("a/other.v1", "b/other.v1", "ops/widget.v1"));
}

struct UnprovenCase {
  const char* name;
  const char* csv;
  const char* owned;
  const char* label;
  const char* required = "";
};
class UnprovenTest : public CopiesTest, public ::testing::WithParamInterface<UnprovenCase> {};

TEST_P(UnprovenTest, R_000_85_Counts) {
  const UnprovenCase& it = GetParam();
  Follow();
  Add("c", it.csv, it.owned, it.label, "", it.required);
  Until([this] { return index_.size() == 1 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre(StrCat("c/", it.csv), "ops/widget.v1"));
}
const UnprovenCase kUnproven[] = {
    {"OfNoOriginal", "other.v1", kWidgetCrd, "ops"},
    {"OfAnotherNamespace", "widget.v1", kWidgetCrd, "b"},
    {"OfItself", "other.v1", kWidgetCrd, "c"},
    {"OwnsMore", "widget.v1", "more.example.com", "ops"},
    {"RequiresMore", "widget.v1", kWidgetCrd, "ops", "more.example.com"},
};
INSTANTIATE_TEST_SUITE_P(All, UnprovenTest, ::testing::ValuesIn(kUnproven),
                         [](const auto& info) { return std::string(info.param.name); });

// A user creates an original that would hide an owner: then the original counts.
TEST_F(CopiesTest, R_000_85_AnOriginalThatOwnsLessProvesNothing) {
  Add("c", "other.v1", kWidgetCrd, "b");
  Add("b", "other.v1", "less.example.com");
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "c/other.v1", "ops/widget.v1"));
  Merge({"b", "other.v1"},
        R"({"spec":{"customresourcedefinitions":{"owned":[{"name":"widgets.example.com"}]}}})");
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
}

// OLM makes a copy, and writes its status a moment later.
TEST_F(CopiesTest, R_000_85_CopiesInTheMaking) {
  Follow();
  AddCopy("a");
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1")) << "perhaps before the watch has told";
  Until([this] { return index_.size() == 1 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  Merge({"a", kCsv.name}, R"({"status":{"phase":"Succeeded","reason":"Copied"}})", "status");
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
}

TEST_F(CopiesTest, R_000_85_UnreadOnesAreReadLive) {
  Follow();
  watched_.Hold({ClientVerb::kGet, kCsvs});
  AddCopy("a");
  Add("b", "other.v1", kWidgetCrd, "ops");
  Until([this] { return index_.unread() == 2; });
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
  watched_.ForgetFaults(kCsvs);
}

TEST_F(CopiesTest, R_000_85_ManyUnreadOnesAreUnknown) {
  Follow();
  watched_.Hold({ClientVerb::kGet, kCsvs});
  watched_.Hold({ClientVerb::kList, kCsvs});
  for (size_t i = 0; i <= CsvLister::kMaxReadAlone; ++i) {
    Add("a", StrCat("other", i, ".v1"), "x.example.com", "ops");
  }
  Until([this] { return index_.unread() == CsvLister::kMaxReadAlone + 1; });
  EXPECT_THAT(Counted(), ElementsAre("21 ClusterServiceVersions with label olm.copiedFrom are not "
                                     "read yet"));
  watched_.ForgetFaults(kCsvs);
  Until([this] { return IsSynced(); });
}

TEST_F(CopiesTest, R_000_85_NotSyncedIsUnknown) {
  const auto follows = ::testing::ElementsAre(
      ::testing::StartsWith("ClusterServiceVersions with label olm.copiedFrom are not followed"));
  EXPECT_THAT(Counted(), follows);
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  watched_.FailNext({ClientVerb::kWatch, kCsvs}, absl::UnavailableError("gone"), 1000);
  watched_.BreakWatches(kCsvs);
  Until([this] { return !index_.health().ok(); });
  EXPECT_THAT(Counted(), follows);
  watched_.ForgetFaults(kCsvs);
  Until([this] { return IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
}

// An object that has been seen without the label counts, whatever becomes of its labels, and
// whatever the watch knows.
TEST_F(CopiesTest, R_000_85_ALabelSetWhileTheWatchIsBehind) {
  Add("b", "other.v1", kWidgetCrd);
  Add("c", "other.v1", kWidgetCrd);
  Follow();
  *watched_.held = true;
  SetLabel({"b", "other.v1"}, "nowhere");
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "c/other.v1", "ops/widget.v1"));
  SetLabel({"b", "other.v1"}, "c");
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "c/other.v1", "ops/widget.v1"));
  *watched_.held = false;
  Until([this] { return index_.size() == 1 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "c/other.v1", "ops/widget.v1"))
      << "an original by its side proves nothing of what was one itself";
  cluster_.Run(cluster_.Remove(kCsvs, {"b", "other.v1"}));
  EXPECT_THAT(Counted(), ElementsAre("c/other.v1", "ops/widget.v1"));
}

TEST_F(CopiesTest, R_000_85_ALabelSetBetweenTwoReadings) {
  Follow();
  Add("b", "other.v1", kWidgetCrd);
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
  SetLabel({"b", "other.v1"}, "ops");
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
}

// The label was set before this process began, and so before the policy: UnprovenTest tests the
// limits of that.
TEST_F(CopiesTest, R_000_85_ALabelSetBefore) {
  Add("b", "other.v1", kWidgetCrd);
  SetLabel({"b", "other.v1"}, "ops");
  Merge({"b", "other.v1"}, R"({"status":{"phase":"Succeeded","reason":"Copied"}})", "status");
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
}

TEST_F(CopiesTest, R_000_85_ADisappearanceIsProvenOnce) {
  Add("b", "other.v1", kWidgetCrd);
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
  cluster_.Run(cluster_.Remove(kCsvs, {"b", "other.v1"}));
  asked_.FailNext({ClientVerb::kGet, kCsvs}, kube::ToStatus(kube::InternalError("storage")));
  EXPECT_THAT(Counted(), ElementsAre(::testing::HasSubstr("storage")))
      << "no answer is no knowledge";
  const int before = Reads(asked_);
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  EXPECT_EQ(Reads(asked_), before + 2);
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  EXPECT_EQ(Reads(asked_), before + 3);
  // An object with the same name and another UID is another one.
  Add("b", "other.v1", kWidgetCrd);
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
  cluster_.Run(cluster_.Remove(kCsvs, {"b", "other.v1"}));
  Add("b", "other.v1", "x.example.com");
  EXPECT_THAT(Counted(), ElementsAre("b/other.v1", "ops/widget.v1"));
}

// OLM copies each change of an original's status into all its copies.
TEST_F(CopiesTest, R_000_85_AStatusFannedOutCostsNoRead) {
  const std::vector<std::string> namespaces = {"a", "b", "c"};
  for (const std::string& ns : namespaces) AddCopy(ns);
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
  const int by_index = Reads(watched_);
  const int by_lister = Reads(asked_);
  for (const std::string& ns : namespaces) {
    Merge({ns, kCsv.name}, R"({"status":{"phase":"Failed","reason":"Copied"}})", "status");
    Merge({ns, kCsv.name}, R"({"metadata":{"annotations":{"changed":"yes"}}})");
  }
  // The watch reports this copy after them.
  Add("a", "last.v1", "x.example.com", "ops");
  Until([this] { return index_.size() == 4 && IsSynced(); });
  EXPECT_EQ(Reads(watched_), by_index + 1) << "the last one alone";
  Counted();
  EXPECT_EQ(Reads(asked_), by_lister + 2) << "a list, and the last one, which no original proves";
}

// Copies follow a change of their original one by one.
TEST_F(CopiesTest, R_000_85_CopiesThatLagBehindCount) {
  AddCopy("a");
  AddCopy("b");
  Follow();
  const char* const other =
      R"({"spec":{"customresourcedefinitions":{"owned":[{"name":"gadgets.example.com"}]}}})";
  Merge(kCsv, other);
  EXPECT_THAT(Counted(), ElementsAre("a/widget.v1", "ops/widget.v1"))
      << "one of two that say the same";
  Merge({"a", kCsv.name}, other);
  Until([this] { return index_.contents() == 2 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("b/widget.v1", "ops/widget.v1"));
  Merge({"b", kCsv.name}, other);
  Until([this] { return index_.contents() == 1 && IsSynced(); });
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
}

// A copy that replaces an object in its own namespace is counted separately.
TEST_F(CopiesTest, R_000_85_AnUnprovenReplacerCounts) {
  Add("a", "next.v2", "x.example.com", "nowhere", R"("replaces":"widget.v1",)");
  Add("ops", "next.v2", "x.example.com", "nowhere", R"("replaces":"widget.v1",)");
  Follow();
  EXPECT_THAT(Counted(), ElementsAre("a/next.v2", "ops/next.v2", "ops/widget.v1"));
}

// A server answers a read with an older state, while the watch has reported the present one.
class LateAnswerTest : public CopiesTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(LateAnswerTest, R_000_85_MakesNothingOldAgain) {
  const auto name = [](size_t i) { return StrCat("widget.v", i + 1); };
  for (size_t i = 0; i < GetParam(); ++i) {
    if (name(i) != kCsv.name) Add("ops", name(i), kWidgetCrd);
    Add("a", name(i), kWidgetCrd, "ops");
  }
  Follow();
  const size_t originals = Counted().size();
  EXPECT_EQ(originals, GetParam());
  EXPECT_OK(cluster_.Run(watched_.Freeze(kCsvs)));
  const int before = Reads(watched_);
  for (size_t i = 0; i < GetParam(); ++i) {
    Merge({"a", name(i)},
          R"({"spec":{"customresourcedefinitions":{"owned":[{"name":"more.example.com"}]}}})");
  }
  // Each answer had an outdated state.
  Until([&] { return Reads(watched_) >= before + 5; });
  EXPECT_EQ(index_.unread(), GetParam());
  watched_.Thaw(kCsvs);
  Until([this] { return IsSynced(); });
  EXPECT_EQ(index_.contents(), GetParam());
  EXPECT_THAT(Counted(), ::testing::Contains(StrCat("a/", kCsv.name)));
  EXPECT_EQ(Counted().size(), 2 * originals);
}
INSTANTIATE_TEST_SUITE_P(All, LateAnswerTest, ::testing::Values(1, CopyIndex::kMaxReadAlone + 1),
                         [](const auto& info) { return info.param == 1 ? "Alone" : "Listed"; });

// This holds for the label, too, which has no generation.
TEST_F(CopiesTest, R_000_85_ALateAnswerSetsNoOldLabel) {
  Add("b", kCsv.name, "x.example.com");
  Follow();
  watched_.Hold({ClientVerb::kGet, kCsvs});
  AddCopy("a");
  Until([this] { return index_.unread() == 1; });
  EXPECT_OK(cluster_.Run(watched_.Freeze(kCsvs)));
  SetLabel({"a", kCsv.name}, "b");
  Until([this] { return index_.MayHaveCopiesOf({"b", kCsv.name}); });
  watched_.Release({ClientVerb::kGet, kCsvs});
  Until([this] { return IsSynced(); });
  EXPECT_TRUE(index_.MayHaveCopiesOf({"b", kCsv.name}));
  EXPECT_FALSE(index_.MayHaveCopiesOf(kCsv));
  watched_.Thaw(kCsvs);
}

TEST_F(CopiesTest, R_000_72_CopiesThatWaitForUsAreTold) {
  AddCopy("a");
  AddCopy("b");
  Merge({"a", kCsv.name},
        StrCat(R"({"metadata":{"finalizers":[")", olm::kCleanupFinalizer, R"("]}})"));
  Follow();
  cluster_.Run(cluster_.Remove(kCsvs, {"a", kCsv.name}));
  Until([this] { return !index_.waiting().empty(); });
  const absl::StatusOr<CsvListing> listing = cluster_.Run(lister_.List(CopyReading::kIgnored));
  ASSERT_OK(listing.status());
  EXPECT_THAT(listing->waiting, UnorderedElementsAre(kube::NamespacedName{"a", kCsv.name}));
  Merge({"a", kCsv.name}, R"({"metadata":{"finalizers":null}})");
  Until([this] { return index_.size() == 1; });
  EXPECT_THAT(index_.waiting(), IsEmpty());
}

// A list after an interruption shows which objects went meanwhile.
TEST_F(CopiesTest, WhatWentWhileNobodyLookedIsForgotten) {
  AddCopy("a");
  AddCopy("b");
  Follow();
  watched_.Hold({ClientVerb::kWatch, kCsvs});
  watched_.BreakWatches(kCsvs);
  Until([this] { return !index_.health().ok(); });
  cluster_.Run(cluster_.Remove(kCsvs, {"a", kCsv.name}));
  watched_.Expire(kCsvs);
  watched_.Release({ClientVerb::kWatch, kCsvs});
  Until([this] { return IsSynced() && index_.size() == 1; });
  EXPECT_THAT(Counted(), ElementsAre("ops/widget.v1"));
}

// The same rule decides when copies are listed.
TEST_F(CopiesTest, R_000_85_TheRuleIsTheSameWhereCopiesAreListed) {
  AddCopy("a");
  Add("b", "other.v1", kWidgetCrd, "ops");
  Merge({"b", "other.v1"}, R"({"status":{"phase":"Succeeded","reason":"Copied"}})", "status");
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<CsvListing> listing = cluster_.Run(lister_.List(CopyReading::kListed));
    ASSERT_OK(listing.status());
    std::vector<kube::NamespacedName> counted;
    for (const olm::CsvFacts& csv : listing->csvs) counted.push_back(csv.key);
    EXPECT_THAT(counted, ElementsAre(kube::NamespacedName{"b", "other.v1"}, kCsv));
  }
}

}  // namespace
}  // namespace steward::controllers

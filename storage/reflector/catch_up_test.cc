#include "storage/reflector/catch_up.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "kube/client/raw_object.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "storage/world/history.h"
#include "storage/world/source_set.h"

namespace steward::storage {
namespace {

using kube::FakeClient;

const kube::GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

// A source that holds the objects of some revision, and whose stream has been silent since.
class CatchUpTest : public ::testing::Test {
 protected:
  CatchUpTest() {
    cluster_.Serve(kWidgets);
    for (int i = 0; i < 1200; ++i) Put(absl::StrCat("w", i));
    ReflectorOptions source;
    source.gvr = kWidgets;
    catch_up_ = std::make_unique<CatchUp>(
        cluster_, clock_, source,
        CatchUp::Target{held_, [this] { return seen_; },
                        [this](uint64_t revision) { confirmed_.push_back(seen_ = revision); },
                        [this](uint64_t revision) {
                          if (revision > seen_) return Knowledge::kNotYet;
                          return revision < known_from_ ? Knowledge::kForgotten : Knowledge::kKnown;
                        },
                        [](std::string_view json) -> absl::StatusOr<ObjectPtr> {
                          return std::make_shared<std::string>(json);
                        },
                        [this](uint64_t revision, std::optional<std::vector<ObjectPtr>> objects) {
                          recalled_.push_back(absl::StrCat(
                              revision, " ", objects ? absl::StrCat(objects->size()) : "same"));
                          known_from_ = 0;
                        },
                        [this](uint64_t revision) { gone_ = revision; }});
    tasks_.Spawn("catch up", catch_up_->Run());
    Read();
  }
  ~CatchUpTest() override { RunOn(io_, tasks_.Stop()); }

  void Put(const std::string& name) {
    cluster_.Put(kWidgets, absl::StrCat(R"({"metadata":{"name":")", name, R"("}})"));
  }
  // Brings the source up to date, as the stream would.
  void Read() {
    held_.Clear();
    const kube::ListOptions all;
    const absl::StatusOr<kube::ListPage> page = RunOn(io_, cluster_.List(kWidgets, all));
    for (const kube::RawObject& object : page->items) held_.Put(object);
    seen_ = cluster_.revision();
    lists_before_ = lists() + lists_before_;
  }
  void Ask(uint64_t revision, std::string_view asker = "") {
    catch_up_->Ask(revision, asker);
    Poll();
  }
  void Poll() {
    io_.restart();
    io_.poll();
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    Poll();
  }
  int lists() const { return cluster_.calls(FakeClient::Verb::kList, kWidgets) - lists_before_; }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FakeClient cluster_;
  HeldVersions held_;
  uint64_t seen_ = 0;
  uint64_t known_from_ = 0;
  std::vector<uint64_t> confirmed_;
  std::vector<std::string> recalled_;
  uint64_t gone_ = 0;
  int lists_before_ = 0;
  TaskGroup tasks_{io_.get_executor()};
  std::unique_ptr<CatchUp> catch_up_;
};

using Revisions = std::vector<uint64_t>;

TEST_F(CatchUpTest, WhereNothingHappenedTheStateIsKnownAtExactlyTheRevisionAskedFor) {
  const uint64_t wanted = cluster_.Touch();
  cluster_.Touch();
  Ask(wanted);
  EXPECT_EQ(confirmed_, Revisions{wanted});
  EXPECT_EQ(lists(), 3) << "pages of 500";
}

TEST_F(CatchUpTest, WhatHappenedLaterDoesNotCount) {
  const uint64_t wanted = cluster_.Touch();
  Put("late");
  Ask(wanted);
  EXPECT_EQ(confirmed_, Revisions{wanted});
}

TEST_F(CatchUpTest, WhatIsMissingIsLeftToTheStream) {
  struct {
    const char* what;
    std::function<void()> change;
  } const kChanges[] = {
      {"added", [this] { Put("new"); }},
      {"changed", [this] { Put("w7"); }},
      {"deleted",
       [this] {
         cluster_.Delete(kWidgets, {"", "w7"});
       }},
      {"replaced",
       [this] {
         cluster_.Delete(kWidgets, {"", "w8"});
         Put("w8");
       }},
  };
  for (const auto& c : kChanges) {
    c.change();
    Ask(cluster_.Touch());
    EXPECT_EQ(confirmed_, Revisions{}) << c.what;
    Pass(CatchUp::kPeriod);
    Read();
  }
}

TEST_F(CatchUpTest, AsksOnceInASecondAndTheLowestRevisionFirst) {
  const uint64_t low = cluster_.Touch();
  const uint64_t high = cluster_.Touch();
  const uint64_t highest = cluster_.Touch();
  Ask(highest);
  EXPECT_EQ(confirmed_, Revisions{highest});
  seen_ = low - 1;
  confirmed_.clear();
  for (uint64_t revision : {high, low, highest, low}) Ask(revision);
  EXPECT_EQ(confirmed_, Revisions{});
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(confirmed_, Revisions{low});
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(confirmed_, (Revisions{low, high}));
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(confirmed_, (Revisions{low, high, highest}));
}

// A client that keeps asking for the next revision does not keep others waiting.
TEST_F(CatchUpTest, WhatIsAskedLaterWaitsHoweverLowItIs) {
  const uint64_t first = cluster_.Touch();
  std::vector<uint64_t> lower;
  for (int i = 0; i < 20; ++i) lower.push_back(cluster_.Touch());
  const uint64_t honest = cluster_.Touch();
  Ask(first);  // after this list it pauses
  Ask(lower[0]);
  Ask(honest);
  for (size_t i = 1; seen_ < honest && i < lower.size(); ++i) {
    Pass(CatchUp::kPeriod);
    Ask(lower[i]);
  }
  EXPECT_EQ(confirmed_, (Revisions{first, lower[0], honest}));
}

// A client that asks for many revisions before all others does not keep others waiting either.
TEST_F(CatchUpTest, NobodyTakesAllThePlacesOfARound) {
  std::vector<uint64_t> revisions;
  for (int i = 0; i < 30; ++i) revisions.push_back(cluster_.Touch());
  Ask(revisions[0], "greedy");  // after this list it pauses
  for (size_t i = 1; i < 20; ++i) Ask(revisions[i], "greedy");
  Ask(revisions[4], "late");  // also asked for by greedy
  Ask(revisions[25], "alice");
  Ask(revisions[26], "bob");
  Ask(revisions[3], "bob");
  for (size_t i = 20; i < 25; ++i) Ask(revisions[i], "greedy");
  const auto round = [this] {
    confirmed_.clear();
    for (size_t i = 0; i < CatchUp::kMaxWanted; ++i) Pass(CatchUp::kPeriod);
    return confirmed_;
  };
  // The lowest questions of "greedy" were dropped for others, except the one that "late" shares.
  EXPECT_EQ(round(), (Revisions{revisions[3], revisions[4], revisions[5], revisions[6],
                                revisions[7], revisions[8], revisions[25], revisions[26]}));
  // With more askers than places, each gets at most one.
  Pass(CatchUp::kRest);
  seen_ = revisions[0];
  for (size_t i = 1; i < 20; ++i) Ask(revisions[i], "greedy");
  for (size_t i = 20; i < 29; ++i) Ask(revisions[i], absl::StrCat("user ", i));
  EXPECT_EQ(round(), (Revisions{revisions[9], revisions[20], revisions[21], revisions[22],
                                revisions[23], revisions[24], revisions[25], revisions[26]}));
}

TEST_F(CatchUpTest, WhoAsksALotSlowsItDown) {
  Put("new");  // so that no list answers a question
  const auto flood = [this](absl::Duration time) {
    const int before = lists();
    for (absl::Duration passed; passed < time; passed += CatchUp::kPeriod) {
      for (int i = 0; i < 20; ++i) Ask(cluster_.Touch());
      Pass(CatchUp::kPeriod);
    }
    return (lists() - before) / 3;  // each in pages of 500
  };
  EXPECT_LE(flood(absl::Minutes(10)), CatchUp::kBurst + 60);
  EXPECT_GE(lists(), 3 * CatchUp::kBurst);
  // Takes the last questions, then a rest.
  for (int i = 0; i < 40; ++i) Pass(CatchUp::kSlowPeriod);
  const int before = lists();
  for (int i = 0; i < 5; ++i) {
    Ask(cluster_.Touch());
    Pass(CatchUp::kPeriod);
  }
  EXPECT_EQ(lists() - before, 3 * 5);
}

TEST_F(CatchUpTest, NothingIsAskedAboutWhatIsKnown) {
  Ask(seen_);
  Ask(1);
  Ask(0);
  EXPECT_EQ(lists(), 0);
  held_.Put(kube::OwnedRawObject("{}"));
  Ask(cluster_.Touch());
  EXPECT_EQ(lists(), 0) << "there is nothing to compare with";
}

TEST_F(CatchUpTest, TheStreamMayComeThereFirst) {
  const uint64_t wanted = cluster_.Touch();
  cluster_.Hold(FakeClient::Verb::kList, kWidgets);
  Ask(wanted);
  seen_ = wanted + 1;
  cluster_.Release(FakeClient::Verb::kList, kWidgets);
  Poll();
  EXPECT_EQ(confirmed_, Revisions{});
  EXPECT_EQ(seen_, wanted + 1);
}

TEST_F(CatchUpTest, AFailureIsTriedAgainWhenAskedAgain) {
  const uint64_t wanted = cluster_.Touch();
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets, absl::UnavailableError("gone"));
  Ask(wanted);
  EXPECT_EQ(confirmed_, Revisions{});
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(confirmed_, Revisions{});
  Ask(wanted);
  EXPECT_EQ(confirmed_, Revisions{wanted});
}

TEST_F(CatchUpTest, ARevisionThatTheClusterForgotIsLeftToTheStream) {
  const uint64_t wanted = cluster_.Touch();
  Put("w1");
  cluster_.Expire(kWidgets);
  Put("w1");
  Ask(wanted);
  EXPECT_EQ(confirmed_, Revisions{});
}

// A state from before this source began can be asked for, too.
TEST_F(CatchUpTest, APastInWhichNothingHappenedIsWhatIsHeld) {
  const uint64_t wanted = cluster_.Touch();
  seen_ = known_from_ = cluster_.Touch();
  Ask(wanted);
  EXPECT_EQ(recalled_, std::vector{absl::StrCat(wanted, " same")});
  EXPECT_EQ(lists(), 3) << "of metadata";
}

TEST_F(CatchUpTest, APastThatDiffersIsReadWhole) {
  const uint64_t wanted = cluster_.Touch();
  cluster_.Delete(kWidgets, {"", "w7"});
  Read();
  known_from_ = seen_;
  Ask(wanted);
  EXPECT_EQ(recalled_, std::vector<std::string>{}) << "once a second";
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(recalled_, std::vector{absl::StrCat(wanted, " 1200")});
  EXPECT_EQ(lists(), 6);
}

TEST_F(CatchUpTest, WhatTheClusterHasForgottenIsGone) {
  const uint64_t wanted = cluster_.Touch();
  Put("late");
  Read();
  known_from_ = seen_;
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets, kube::ToStatus(kube::Expired("too old")));
  Ask(wanted);
  EXPECT_EQ(gone_, wanted);
  EXPECT_EQ(recalled_, std::vector<std::string>{});
}

TEST_F(CatchUpTest, APastThatCannotBeReadNowIsAskedForAgain) {
  const uint64_t wanted = cluster_.Touch();
  seen_ = known_from_ = cluster_.Touch();
  cluster_.FailNext(FakeClient::Verb::kList, kWidgets, absl::UnavailableError("reset"));
  Ask(wanted);
  EXPECT_EQ(gone_, 0u);
  Ask(wanted);
  Pass(CatchUp::kPeriod);
  EXPECT_EQ(recalled_, std::vector{absl::StrCat(wanted, " same")});
}

}  // namespace
}  // namespace steward::storage

// Tests that DELETEs follow the readings of the guards, with several under way at a time.
#include "controllers/cleanup/operands/deleter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/async/race.h"
#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/status.h"

namespace steward::controllers {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class Silence : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

constexpr size_t kWidth = 4;
constexpr size_t kBatch = 60;

// Every call takes some turns of the executor and some time.
class DeleterTest : public ::testing::Test, public kube::Hooks {
 protected:
  void Start(int widgets, bool read_ahead = true) {
    for (int i = 0; i < widgets; ++i) {
      cluster_.Run(cluster_.AddWidget(i % 2 == 0 ? "a" : "b", StrCat("x", i), false));
    }
    options_.deleter.width = kWidth;
    options_.deleter.batch = kBatch;
    options_.deleter.read_ahead = read_ahead;
    CleanerDeps deps{client_, leader_, events_, cluster_.clock(), metrics_, nullptr};
    cleaner_ = std::make_unique<Cleaner>(std::move(deps), options_);
    Pass();
    cluster_.DeleteCsv();
    while (deletes_.empty()) Pass();
  }
  void TearDown() override { cleaner_.reset(); }
  void Pass() {
    cluster_.clock().Advance(absl::Milliseconds(1));
    VoidTask pass = PassTo(*cleaner_);
    if (slow_answer_ == absl::ZeroDuration()) {
      cluster_.Run(std::move(pass));
      return;
    }
    VoidTask time = PassTime(*this);
    cluster_.Run(UntilOneEnds(std::move(pass), std::move(time)));
  }
  static VoidTask PassTo(Cleaner& cleaner) {
    EXPECT_OK((co_await cleaner.Reconcile(kCsv)).status());
  }
  // Time passes by itself only when slow answers are all that is waited for.
  static VoidTask PassTime(DeleterTest& test) {
    while (true) {
      co_await Yield();
      int turns = 0;
      while (turns < 500 && test.waiting_ > 0 && test.waiting_ == test.in_flight_) {
        co_await Yield();
        ++turns;
      }
      if (turns < 500) continue;
      test.cluster_.clock().Advance(absl::Seconds(1));
      if (++test.waited_ == 60) {
        const boost::json::value csv = co_await test.cluster_.Find(kCsvs, kCsv);
        test.after_a_minute_ = Serialize(csv);
      }
    }
  }

  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    cluster_.clock().Advance(each_call_);
    // A reading of the guards begins with this list.
    if (call.verb == kube::ClientVerb::kList && call.gvr == kCsvs) {
      readings_.push_back(cluster_.clock().Monotonic() - each_call_);
      if (readings_.size() == allowed_) cluster_.SetDeployment("widget-operator", false);
    }
    const bool deletes = call.verb == kube::ClientVerb::kDelete;
    if (deletes) {
      most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
      deletes_.push_back({readings_.size()});
      if (at_delete_ && deletes_.size() == at_) at_delete_();
    }
    const bool slow = deletes && deletes_.size() > quick_;
    if (call.verb == kube::ClientVerb::kList && call.gvr == kWidgets) ++listings_;
    for (unsigned turns = 1 + pace_() % 9; turns > 0; --turns) co_await Yield();
    if (deletes) cluster_.clock().Advance(each_delete_);
    if (deletes && !fate_.passes()) {
      --in_flight_;
      co_return fate_;
    }
    if (slow) {
      ++waiting_;
      co_await cluster_.clock().Sleep(slow_answer_);
      --waiting_;
    }
    co_return kube::HookedFate();
  }
  void Leaves(const kube::HookedCall& call) override {
    if (call.verb == kube::ClientVerb::kDelete) left_.push_back(cluster_.clock().Monotonic());
  }
  boost::asio::awaitable<void> After(const kube::HookedCall& call, const absl::Status&) override {
    if (call.verb == kube::ClientVerb::kDelete) --in_flight_;
    co_return;
  }

  struct Sent {
    size_t readings;  // begun before this DELETE
  };

  // Expects at most one batch for each reading. `ahead` readings may have begun for later batches.
  // AgeOfReadingsTest checks their age.
  void ExpectBatches(size_t ahead = 0) {
    for (size_t i = 0; i < deletes_.size(); ++i) {
      const size_t readings = deletes_[i].readings;
      ASSERT_GT(readings, ahead);
      EXPECT_LT(i, kBatch * (readings - ahead)) << "DELETE " << i;
    }
  }

  TestCluster cluster_;
  AlwaysLeader leader_;
  Silence events_;
  prometheus::Registry registry_;
  CleanupMetrics metrics_{registry_};
  kube::HookClient client_{cluster_.client(), *this};
  std::unique_ptr<Cleaner> cleaner_;
  std::mt19937 pace_{3};
  absl::Duration each_call_ = absl::Milliseconds(1);
  absl::Duration each_delete_;
  std::vector<absl::Duration> readings_;
  std::vector<Sent> deletes_;
  std::vector<absl::Duration> left_;  // the times at which the DELETEs' bytes left
  size_t allowed_ = 0;                // the number of the reading that allows nothing; 0 = none
  size_t in_flight_ = 0;
  size_t most_in_flight_ = 0;
  kube::HookedFate fate_;  // of DELETEs
  CleanerOptions options_;
  int listings_ = 0;                                   // lists of widgets
  size_t quick_ = std::numeric_limits<size_t>::max();  // quick DELETEs; the others are slow
  absl::Duration slow_answer_;
  size_t waiting_ = 0;          // slow answers under way
  int waited_ = 0;              // seconds
  std::string after_a_minute_;  // the CSV after a minute
  size_t at_ = 0;
  size_t changed_after_ = 0;
  std::function<void()> at_delete_;
};

TEST_F(DeleterTest, GuardsAreReadAheadWhileABatchIsUnderWay) {
  Start(250);
  EXPECT_THAT(deletes_, SizeIs(250));
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
  ExpectBatches(1);
  EXPECT_EQ(most_in_flight_, kWidth);
  const size_t first = deletes_[0].readings;
  EXPECT_EQ(deletes_[kBatch - 1].readings, first) << "two ahead, and no more";
  EXPECT_EQ(deletes_[kBatch + kWidth].readings, first + 1) << "begun with the batch";
  EXPECT_EQ(readings_.size(), deletes_.back().readings) << "and none for nothing";
}

TEST_F(DeleterTest, WithoutReadingAheadEveryBatchWaits) {
  Start(150, false);
  EXPECT_THAT(deletes_, SizeIs(150));
  ExpectBatches();
  const size_t first = deletes_[0].readings;
  EXPECT_EQ(deletes_[kBatch - 1].readings, first);
  EXPECT_EQ(deletes_[kBatch].readings, first + 1);
}

TEST_F(DeleterTest, ASlowServerGetsFewerUnderOneReading) {
  each_delete_ = absl::Milliseconds(450);
  Start(30);
  for (int i = 0; i < 50 && !cluster_.Names(kWidgets).empty(); ++i) Pass();
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
  ExpectBatches();
  EXPECT_GT(readings_.size(), 5u);
}

TEST_F(DeleterTest, ARoundIsBoundedAndTheNextGoesOnByTheSameListing) {
  options_.deleter.round = 100;
  Start(250);
  EXPECT_THAT(deletes_, SizeIs(100));
  const int listings = listings_;
  Pass();
  EXPECT_THAT(deletes_, SizeIs(200));
  Pass();
  EXPECT_THAT(deletes_, SizeIs(250));
  EXPECT_EQ(listings_, listings);
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
  ExpectBatches(1);
  EXPECT_EQ(readings_.size(), deletes_.back().readings) << "a round costs no reading more";
}

TEST_F(DeleterTest, ARoundEndsInTime) {
  each_delete_ = absl::Milliseconds(450);
  Start(60);
  int rounds = 1;
  while (!cluster_.Names(kWidgets).empty() && rounds < 50) {
    const absl::Duration began = cluster_.clock().Monotonic();
    Pass();
    // The round waits for DELETEs that are under way.
    EXPECT_LT(cluster_.clock().Monotonic() - began,
              options_.deleter.round_time + (kWidth + 1) * each_delete_);
    ++rounds;
  }
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
  EXPECT_GT(rounds, 3);
  ExpectBatches();
}

TEST_F(DeleterTest, WhatIsLeftOfAnOldListingIsListedAnew) {
  options_.deleter.round = 10;
  Start(40);
  EXPECT_THAT(deletes_, SizeIs(10));
  const int listings = listings_;
  cluster_.clock().Advance(options_.deleter.listing_age);
  Pass();
  EXPECT_THAT(deletes_, SizeIs(20));
  EXPECT_EQ(listings_, listings);
  Pass();
  EXPECT_GT(listings_, listings);
  EXPECT_THAT(deletes_, SizeIs(30));
}

TEST_F(DeleterTest, R_000_65_HowFarARoundIsIsToldWhileItWaitsForAnswers) {
  options_.deleter.guard_age = absl::Minutes(10);
  quick_ = 6;
  slow_answer_ = absl::Seconds(100);
  Start(20);
  EXPECT_THAT(deletes_, SizeIs(quick_ + kWidth)) << "no more are begun after five seconds";
  EXPECT_THAT(after_a_minute_, HasSubstr(olm::WaitingMessage(20 - quick_)));
  EXPECT_THAT(after_a_minute_, Not(HasSubstr(R"("name":"x0")"))) << "it is gone";
}

TEST_F(DeleterTest, R_000_65_TheEndOfARoundIsToldAfterReportsOfItsProgress) {
  options_.deleter.guard_age = absl::Minutes(10);
  options_.deleter.round = kWidth;
  quick_ = kWidth;
  slow_answer_ = absl::Seconds(3);
  Start(2 * kWidth);
  ASSERT_THAT(deletes_, SizeIs(kWidth)) << "the first pass said that it waits";
  Pass();
  ASSERT_THAT(deletes_, SizeIs(2 * kWidth));
  EXPECT_THAT(
      prometheus::TextSerializer().Serialize(registry_.Collect()),
      HasSubstr("steward_cleanup_pending_operands{name=\"widget.v1\",namespace=\"ops\"} 0"));
}

TEST_F(DeleterTest, WhatCannotBeSentInTimeEndsNoRound) {
  at_ = kBatch - kWidth;  // those read ahead are there for long
  at_delete_ = [this] { cluster_.clock().Advance(absl::Seconds(3)); };
  Start(150);
  // DELETEs that the client had not sent by then were dropped; the others went out under new
  // guards.
  EXPECT_GE(cluster_.Names(kWidgets).size(), 1u);
  // A reading that was under way is too old as well, and that ends the round.
  for (int i = 0; i < 5 && cluster_.Names(kWidgets).size() > kWidth; ++i) Pass();
  EXPECT_LE(cluster_.Names(kWidgets).size(), kWidth);
  ExpectBatches();
}

TEST_F(DeleterTest, AServerThatAnswersNothingEndsTheRound) {
  fate_ = absl::DeadlineExceededError("no answer within 30s");
  Start(150);
  EXPECT_LE(deletes_.size(), kWidth);
}

TEST_F(DeleterTest, OnceAReadingAllowsNothingNothingMoreIsSent) {
  at_ = 70;
  at_delete_ = [this] {
    cluster_.SetDeployment("widget-operator", false);
    changed_after_ = deletes_.size();
  };
  Start(400);
  // An earlier reading is good for its batch and the next one.
  EXPECT_LE(deletes_.size(), changed_after_ + 2 * kBatch);
  EXPECT_GE(cluster_.Names(kWidgets).size(), 400 - changed_after_ - 2 * kBatch);
  const size_t sent = deletes_.size();
  Pass();
  EXPECT_EQ(deletes_.size(), sent);
}

struct Pace {
  absl::Duration each_delete;
  size_t last;  // last reading of this cleanup that allows deletions
};

class AgeOfReadingsTest : public DeleterTest, public ::testing::WithParamInterface<Pace> {};

// From the time at which the next reading allows nothing, only one reading can have been used: its
// age is measured, not that of the newest reading.
TEST_P(AgeOfReadingsTest, NothingLeavesUnderAReadingOfTwoSecondsAgo) {
  each_delete_ = GetParam().each_delete;
  // Two readings come before any DELETE: that of the pass that records, and that of the pass that
  // deletes.
  allowed_ = 2 + GetParam().last + 1;
  Start(400);
  for (int i = 0; i < 20 && readings_.size() < allowed_; ++i) Pass();
  ASSERT_GE(readings_.size(), allowed_);
  const absl::Duration used = readings_[allowed_ - 2];
  EXPECT_GT(left_.back(), used) << "nothing was sent under it";
  EXPECT_LT(left_.back() - used, absl::Seconds(2));
}

INSTANTIATE_TEST_SUITE_P(
    Paces, AgeOfReadingsTest,
    ::testing::Values(Pace{absl::ZeroDuration(), 1}, Pace{absl::ZeroDuration(), 3},
                      Pace{absl::Milliseconds(20), 1}, Pace{absl::Milliseconds(20), 2},
                      Pace{absl::Milliseconds(20), 4}, Pace{absl::Milliseconds(45), 1},
                      Pace{absl::Milliseconds(45), 3}, Pace{absl::Milliseconds(300), 2},
                      Pace{absl::Milliseconds(300), 5}));

}  // namespace
}  // namespace steward::controllers

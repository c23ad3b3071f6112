#include "controllers/runtime/parallel_writer.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/macros.h"
#include "base/status/matchers.h"
#include "controllers/runtime/election/leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};

class SwitchedLeadership : public Leadership {
 public:
  absl::Duration Remaining() const override {
    return live ? absl::InfiniteDuration() : absl::ZeroDuration();
  }
  bool live = true;
};

// A server that takes a second for each write.
class ParallelWriterTest : public ::testing::Test {
 protected:
  ~ParallelWriterTest() override { RunOn(io_, tasks_.Stop()); }

  static StatusTask Send(ParallelWriterTest& test, size_t number, kube::SendCheck may_send) {
    struct UnderWay {
      ParallelWriterTest& test;
      explicit UnderWay(ParallelWriterTest& t) : test(t) {
        test.most_ = std::max(test.most_, ++test.under_way_);
      }
      ~UnderWay() { --test.under_way_; }
    } under_way(test);
    test.begun_.push_back(number);
    if (test.before_sending_) co_await test.clock_.Sleep(*test.before_sending_);
    CO_RETURN_IF_ERROR(may_send());
    test.sent_.insert(number);
    co_await test.clock_.Sleep(absl::Seconds(1));
    co_return test.answer_ ? test.answer_(number) : absl::OkStatus();
  }
  static VoidTask Run(ParallelWriterTest& test, size_t count, ParallelWriterOptions options) {
    ParallelWriter writer(test.leadership_, test.clock_, options);
    const auto send = [&test](size_t number, kube::SendCheck may_send) {
      return Send(test, number, std::move(may_send));
    };
    test.counts_ = co_await writer.Run(count, send);
  }
  void Start(size_t count, ParallelWriterOptions options = {}) {
    counts_.reset();
    tasks_.Spawn("run", Run(*this, count, options));
    Settle();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    for (; time > absl::ZeroDuration(); time -= absl::Milliseconds(500)) {
      clock_.Advance(absl::Milliseconds(500));
      Settle();
    }
  }
  static ParallelWriterOptions Width(size_t width) {
    ParallelWriterOptions options;
    options.width = width;
    return options;
  }
  static size_t Sum(const WriteCounts& counts) {
    return counts.done + counts.absent + counts.conflicts + counts.refused + counts.failed +
           counts.unsent;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  SwitchedLeadership leadership_;
  std::optional<absl::Duration> before_sending_;
  std::function<absl::Status(size_t)> answer_;
  std::vector<size_t> begun_;
  std::set<size_t> sent_;
  int under_way_ = 0;
  int most_ = 0;
  std::optional<WriteCounts> counts_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(ParallelWriterTest, AllAreSentInOrderAFewAtATime) {
  Start(7, Width(3));
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2));
  Pass(absl::Seconds(1));
  EXPECT_THAT(begun_, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_FALSE(counts_.has_value());
  Pass(absl::Seconds(2));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(most_, 3);
  EXPECT_EQ(counts_->done, 7u);
  EXPECT_EQ(Sum(*counts_), 7u);
  EXPECT_OK(counts_->ended);
  EXPECT_OK(counts_->failure);
}

TEST_F(ParallelWriterTest, NothingToSend) {
  Start(0);
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(Sum(*counts_), 0u);
}

TEST_F(ParallelWriterTest, AnswersAreCountedByWhatTheyMean) {
  const std::map<size_t, absl::Status> answers = {
      {1, kube::ToStatus(kube::NotFound(kWidgets, "a"))},
      {2, kube::ToStatus(kube::Conflict(kWidgets, "a", "changed"))},
      {3, kube::ToStatus(kube::AlreadyExists(kWidgets, "a"))},
      {4, kube::ToStatus(kube::Forbidden(kWidgets, "first", "policy"))},
      {5, kube::ToStatus(kube::Forbidden(kWidgets, "second", "policy"))},
      {6, absl::UnavailableError("connection reset")},
      {7, kube::ToStatus(kube::InternalError("x"))},
  };
  answer_ = [&answers](size_t i) { return answers.contains(i) ? answers.at(i) : absl::OkStatus(); };
  Start(9, Width(1));
  Pass(absl::Seconds(9));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(counts_->done, 2u);
  EXPECT_EQ(counts_->absent, 1u);
  EXPECT_EQ(counts_->conflicts, 2u);
  EXPECT_EQ(counts_->refused, 2u);
  EXPECT_EQ(counts_->failed, 2u);
  EXPECT_EQ(counts_->unsent, 0u);
  EXPECT_THAT(counts_->refusal, HasSubstr("first"));
  EXPECT_THAT(counts_->failure, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(counts_->ended) << "what fails once does not end the others";
  EXPECT_EQ(begun_.size(), 9u) << "nothing is sent again";
}

TEST_F(ParallelWriterTest, ABusyServerIsSentFewerAndLater) {
  int refusals = 4;  // of the first four, which are under way together
  answer_ = [&refusals](size_t) {
    return refusals-- > 0 ? kube::ToStatus(kube::TooManyRequests("busy", 5)) : absl::OkStatus();
  };
  Start(40, Width(4));
  Pass(absl::Milliseconds(5500));
  EXPECT_EQ(begun_.size(), 4u) << "not before the time that it asked for";
  most_ = 0;
  Pass(absl::Seconds(1));
  EXPECT_EQ(most_, 2) << "half as many; four answers of one moment count once";
  EXPECT_EQ((std::set<size_t>{begun_.begin() + 4, begun_.end()}), (std::set<size_t>{0, 1}));
  Pass(absl::Minutes(1));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(counts_->done, 40u);
  EXPECT_EQ(counts_->failed, 0u);
  EXPECT_EQ(most_, 4) << "wider again, with answers";
}

TEST_F(ParallelWriterTest, WhatABusyServerAsksForIsBounded) {
  for (const int seconds : {0, 100'000}) {
    begun_.clear();
    bool busy = true;
    answer_ = [&busy, seconds](size_t) {
      return std::exchange(busy, false) ? kube::ToStatus(kube::TooManyRequests("busy", seconds))
                                        : absl::OkStatus();
    };
    Start(1);
    const absl::Duration pause = seconds == 0 ? absl::Seconds(1) : absl::Minutes(1);
    Pass(absl::Seconds(1) + pause - absl::Milliseconds(500));
    EXPECT_EQ(begun_.size(), 1u);
    Pass(absl::Seconds(2));
    EXPECT_EQ(begun_.size(), 2u);
    ASSERT_TRUE(counts_.has_value());
    EXPECT_EQ(counts_->done, 1u);
  }
}

TEST_F(ParallelWriterTest, WhereNobodyAnswersItEnds) {
  const absl::Status answers[] = {absl::UnavailableError("refused"),
                                  kube::ToStatus(kube::TooManyRequests("busy", 1))};
  for (const absl::Status& status : answers) {
    begun_.clear();
    answer_ = [&status](size_t) { return status; };
    ParallelWriterOptions options = Width(2);
    options.give_up = 10;
    Start(100, options);
    Pass(absl::Minutes(1));
    ASSERT_TRUE(counts_.has_value()) << status;
    EXPECT_LE(begun_.size(), 11u) << status;
    EXPECT_EQ(counts_->ended, status);
    EXPECT_EQ(counts_->done, 0u);
    EXPECT_EQ(Sum(*counts_), 100u) << status;
  }
}

TEST_F(ParallelWriterTest, SingleFailuresDoNotAddUp) {
  answer_ = [](size_t i) {
    return i % 2 == 0 ? absl::OkStatus() : absl::UnavailableError("now and then");
  };
  ParallelWriterOptions options = Width(1);
  options.give_up = 2;
  Start(20, options);
  Pass(absl::Seconds(20));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(counts_->done, 10u);
  EXPECT_EQ(counts_->failed, 10u);
  EXPECT_OK(counts_->ended);
}

TEST_F(ParallelWriterTest, WithoutLeadershipNothingIsBegun) {
  Start(10, Width(2));
  leadership_.live = false;
  Pass(absl::Seconds(5));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_EQ(begun_.size(), 2u);
  EXPECT_EQ(counts_->done, 2u) << "they had left";
  EXPECT_EQ(counts_->unsent, 8u);
  EXPECT_THAT(counts_->ended, StatusIs(absl::StatusCode::kFailedPrecondition));
}

// The client waits for a connection, or for the server, and checks before it sends.
TEST_F(ParallelWriterTest, NorDoesAnythingLeaveThatWasBegun) {
  before_sending_ = absl::Seconds(10);
  Start(10, Width(2));
  leadership_.live = false;
  Pass(absl::Seconds(20));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(counts_->unsent, 10u);
  EXPECT_EQ(counts_->failed, 0u);
}

TEST_F(ParallelWriterTest, OnceEndedNothingLeavesAnyMore) {
  ParallelWriterOptions options = Width(2);
  options.give_up = 1;
  answer_ = [](size_t) { return absl::UnavailableError("x"); };
  Start(10, options);
  // In the second pair, one write fails at once while the other still waits to be sent.
  before_sending_ = absl::Seconds(10);
  Pass(absl::Minutes(1));
  ASSERT_TRUE(counts_.has_value());
  EXPECT_LE(sent_.size(), 2u);
  EXPECT_EQ(counts_->failed + counts_->unsent, 10u);
}

TEST_F(ParallelWriterTest, CancelledItHasEnded) {
  Start(10, Width(3));
  EXPECT_EQ(under_way_, 3);
  RunOn(io_, tasks_.Stop());
  EXPECT_EQ(under_way_, 0);
  EXPECT_FALSE(counts_.has_value());
  EXPECT_EQ(begun_.size(), 3u);
}

}  // namespace
}  // namespace steward::controllers

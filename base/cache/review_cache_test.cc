#include "base/cache/review_cache.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using Cache = ReviewCache<int>;

Task<Cache::Loaded> Load(Clock& clock, absl::Duration takes, absl::StatusOr<int> answer,
                         int& calls) {
  ++calls;
  co_await clock.Sleep(takes);
  if (!answer.ok()) co_return answer.status();
  co_return Cache::Loaded{*answer, absl::Seconds(10)};
}

VoidTask Ask(Cache& cache, std::string key, Cache::Loader load,
             std::vector<absl::StatusOr<int>>& answers) {
  absl::StatusOr<int> answer = co_await cache.Get(std::move(key), std::move(load));
  answers.push_back(std::move(answer));
}

class ReviewCacheTest : public ::testing::Test {
 protected:
  ~ReviewCacheTest() override { RunOn(io_, group_.Stop()); }
  void Settle() {
    io_.restart();
    io_.poll();
  }
  Cache::Loader Loader(absl::Duration takes, absl::StatusOr<int> answer) {
    return [this, takes, answer] { return Load(clock_, takes, answer, calls_); };
  }
  void Spawn(const std::string& key, Cache::Loader load) {
    group_.Spawn("ask", Ask(cache_, key, std::move(load), answers_));
    Settle();
  }

  FakeClock clock_;
  asio::io_context io_;
  TaskGroup group_{io_.get_executor()};
  Cache cache_{clock_, 100};
  int calls_ = 0;
  std::vector<absl::StatusOr<int>> answers_;
};

TEST_F(ReviewCacheTest, KeptForItsTime) {
  Spawn("k", Loader(absl::ZeroDuration(), 1));
  Spawn("k", Loader(absl::ZeroDuration(), 2));
  clock_.Advance(absl::Seconds(9));
  Spawn("k", Loader(absl::ZeroDuration(), 3));
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(cache_.Kept("k"), 1);
  EXPECT_EQ(cache_.Kept("other"), std::nullopt);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(cache_.Kept("k"), std::nullopt);
  Spawn("k", Loader(absl::ZeroDuration(), 4));
  EXPECT_EQ(calls_, 2);
  ASSERT_EQ(answers_.size(), 4u);
  EXPECT_THAT(answers_[2], IsOkAndHolds(1));
  EXPECT_THAT(answers_[3], IsOkAndHolds(4));
}

TEST_F(ReviewCacheTest, NotKeptWhenTheClockIsSetBack) {
  Spawn("k", Loader(absl::ZeroDuration(), 1));
  clock_.Advance(-absl::Hours(1));
  Spawn("k", Loader(absl::ZeroDuration(), 2));
  EXPECT_EQ(calls_, 2);
  ASSERT_EQ(answers_.size(), 2u);
  EXPECT_THAT(answers_[1], IsOkAndHolds(2));
}

TEST_F(ReviewCacheTest, OneCallForAllWhoWait) {
  for (int i = 0; i < 3; ++i) Spawn("k", Loader(absl::Seconds(1), 7));
  Spawn("other", Loader(absl::Seconds(1), 8));
  EXPECT_EQ(calls_, 2);
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_EQ(answers_.size(), 4u);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ReviewCacheTest, ErrorsReachAllButAreNotKept) {
  for (int i = 0; i < 2; ++i) Spawn("k", Loader(absl::Seconds(1), absl::UnavailableError("down")));
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_EQ(answers_.size(), 2u);
  for (const auto& answer : answers_) {
    EXPECT_THAT(answer, StatusIs(absl::StatusCode::kUnavailable));
  }
  Spawn("k", Loader(absl::ZeroDuration(), 1));
  EXPECT_EQ(calls_, 2);
  EXPECT_THAT(answers_.back(), IsOkAndHolds(1));
}

TEST_F(ReviewCacheTest, AnotherTakesOverFromACancelledLeader) {
  TaskGroup leader(io_.get_executor());
  leader.Spawn("leader", Ask(cache_, "k", Loader(absl::Seconds(5), 1), answers_));
  Settle();
  Spawn("k", Loader(absl::Seconds(1), 2));
  EXPECT_EQ(calls_, 1);
  RunOn(io_, leader.Stop());
  Settle();
  EXPECT_EQ(calls_, 2);
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_THAT(answers_[0], IsOkAndHolds(2));
}

TEST_F(ReviewCacheTest, CancelledFollowerHarmsNobody) {
  Spawn("k", Loader(absl::Seconds(1), 1));
  TaskGroup follower(io_.get_executor());
  follower.Spawn("follower", Ask(cache_, "k", Loader(absl::Seconds(1), 2), answers_));
  Settle();
  RunOn(io_, follower.Stop());
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(calls_, 1);
}

Task<Cache::Loaded> LoadNow(std::atomic<int>& calls) {
  co_await Clock::Real().Sleep(absl::Microseconds(50));
  co_return Cache::Loaded{++calls, absl::ZeroDuration()};
}

VoidTask AskOften(Cache& cache, std::atomic<int>& calls, std::atomic<int>& answers) {
  for (int i = 0; i < 200; ++i) {
    Cache::Loader load = [&calls] { return LoadNow(calls); };
    absl::StatusOr<int> answer = co_await cache.Get("k" + std::to_string(i % 3), std::move(load));
    if (answer.ok()) ++answers;
  }
}

VoidTask AskOftenTwice(Cache& cache, std::atomic<int>& calls, std::atomic<int>& answers) {
  co_await AskOften(cache, calls, answers);
  co_await AskOften(cache, calls, answers);
}

TEST(ReviewCacheThreadsTest, ManyExecutors) {
  Cache cache(Clock::Real(), 100);
  std::atomic<int> calls{0};
  std::atomic<int> answers{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      asio::io_context io;
      TaskGroup group(io.get_executor());
      group.Spawn("a", AskOften(cache, calls, answers));
      RunOn(io, AskOftenTwice(cache, calls, answers));
      io.run();
      RunOn(io, group.Stop());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers.load(), 4 * 3 * 200);
  EXPECT_LE(calls.load(), 4 * 3 * 200);
}

}  // namespace
}  // namespace steward

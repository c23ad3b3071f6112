#include "base/fairness/fair_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"
#include "base/clock/fake_clock.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::Not;

struct Caller {
  bool answered = false;
  FairPlaces::Place place;
};

VoidTask Ask(FairPlaces& places, std::string flow, Caller& caller) {
  caller.place = co_await places.Take(std::move(flow), absl::Seconds(5));
  caller.answered = true;
}

class FairPlacesTest : public ::testing::Test {
 protected:
  ~FairPlacesTest() override {
    RunOn(io_, group_.Stop());
    callers_.clear();
  }
  FairPlaces& Make(FairPool::Limits limits) {
    places_ = std::make_unique<FairPlaces>(clock_, limits, metrics_.Of("test"));
    return *places_;
  }
  Caller& Start(const std::string& flow) {
    Caller& caller = *callers_.emplace_back(std::make_unique<Caller>());
    group_.Spawn(flow, Ask(*places_, flow, caller));
    Settle();
    return caller;
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }
  std::string Metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  asio::io_context io_{1};
  FakeClock clock_;
  prometheus::Registry registry_;
  PoolMetrics metrics_{registry_};
  std::unique_ptr<FairPlaces> places_;
  std::vector<std::unique_ptr<Caller>> callers_;
  TaskGroup group_{io_.get_executor()};
};

TEST_F(FairPlacesTest, WhoWaitsGetsThePlaceThatBecomesFree) {
  Make({.places = 1, .waiting_per_flow = 5, .waiting = 10});
  Caller& first = Start("a");
  EXPECT_TRUE(first.place);
  Caller& second = Start("a");
  Caller& third = Start("b");
  EXPECT_FALSE(second.answered || third.answered);
  EXPECT_THAT(Metrics(), HasSubstr("current_inqueue_requests{priority_level=\"test\"} 2"));
  first.place.Release();
  Settle();
  EXPECT_TRUE(second.place) << "both flows hold nothing: the one that waited longer";
  clock_.Advance(absl::Seconds(1));
  second.place.Release();
  Settle();
  EXPECT_TRUE(third.place);
  EXPECT_THAT(Metrics(), HasSubstr("current_inqueue_requests{priority_level=\"test\"} 0"));
  EXPECT_THAT(Metrics(), HasSubstr("current_executing_requests{priority_level=\"test\"} 1"));
  EXPECT_THAT(Metrics(), HasSubstr("request_wait_duration_seconds_sum{execute=\"true\","
                                   "priority_level=\"test\"} 1"));
}

TEST_F(FairPlacesTest, NobodyWaitsLongerThanToldTo) {
  Make({.places = 1, .waiting_per_flow = 5, .waiting = 10});
  Caller& first = Start("a");
  Caller& second = Start("b");
  clock_.Advance(absl::Milliseconds(4999));
  Settle();
  EXPECT_FALSE(second.answered);
  clock_.Advance(absl::Milliseconds(1));
  Settle();
  EXPECT_TRUE(second.answered);
  EXPECT_FALSE(second.place);
  EXPECT_THAT(Metrics(), HasSubstr("rejected_requests_total{priority_level=\"test\","
                                   "reason=\"time-out\"} 1"));
  first.place.Release();
  EXPECT_TRUE(Start("c").place);
}

TEST_F(FairPlacesTest, FullQueuesRefuseAtOnce) {
  Make({.places = 1, .waiting_per_flow = 2, .waiting = 2});
  Start("a");
  Caller& older = Start("a");
  Caller& newer = Start("a");
  EXPECT_TRUE(Start("a").answered);
  Caller& other = Start("b");
  EXPECT_FALSE(other.answered);
  EXPECT_TRUE(newer.answered) << "had to make room";
  EXPECT_FALSE(newer.place);
  EXPECT_FALSE(older.answered);
  EXPECT_THAT(Metrics(), HasSubstr("reason=\"queue-full\"} 2"));
}

TEST_F(FairPlacesTest, CancelledWaitersLeaveNothingBehind) {
  Make({.places = 1, .waiting_per_flow = 5, .waiting = 10});
  Caller& first = Start("a");
  for (const bool admitted : {false, true}) {
    Caller gone;
    TaskGroup group(io_.get_executor());
    group.Spawn("gone", Ask(*places_, "b", gone));
    Settle();
    // The waiter gets the place, and is cancelled before it can notice.
    if (admitted) first.place.Release();
    RunOn(io_, group.Stop());
    gone.place.Release();
    EXPECT_EQ(clock_.sleepers(), 0u);
  }
  EXPECT_TRUE(Start("c").place);
  EXPECT_THAT(Metrics(), HasSubstr("current_inqueue_requests{priority_level=\"test\"} 0"));
}

TEST_F(FairPlacesTest, ZeroPlacesAreNoLimit) {
  Make({.places = 0});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Start("a").place);
  EXPECT_THAT(Metrics(), Not(HasSubstr("rejected_requests_total{")));
}

VoidTask Work(FairPlaces& places, std::string flow, std::atomic<int>& inside,
              std::atomic<int>& most, std::atomic<int>& done) {
  for (int i = 0; i < 200; ++i) {
    const FairPlaces::Place place = co_await places.Take(flow, absl::Hours(1));
    if (!place) continue;
    const int now = ++inside;
    int before = most.load();
    while (before < now && !most.compare_exchange_weak(before, now)) continue;
    co_await Yield();
    --inside;
    ++done;
  }
}

TEST(FairPlacesThreadsTest, NeverMoreThanThereAreAndNobodyIsForgotten) {
  prometheus::Registry registry;
  PoolMetrics metrics(registry);
  FairPlaces places(Clock::Real(), {.places = 3, .waiting_per_flow = 10, .waiting = 100},
                    metrics.Of("test"));
  std::atomic<int> inside{0}, most{0}, done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      asio::io_context io(1);
      for (int i = 0; i < 5; ++i) {
        asio::co_spawn(io, Work(places, std::string(1, 'a' + (t + i) % 4), inside, most, done),
                       asio::detached);
      }
      io.run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done.load(), 3000);
  EXPECT_LE(most.load(), 3);
  EXPECT_EQ(inside.load(), 0);
}

}  // namespace
}  // namespace steward

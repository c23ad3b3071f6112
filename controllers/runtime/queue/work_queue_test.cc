#include "controllers/runtime/queue/work_queue.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/seeds/seeds.h"
#include "base/status/matchers.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Key kA = {"ns", "a"};
const Key kB = {"ns", "b"};
const Key kC = {"ns", "c"};

RateLimits Limits() {
  RateLimits limits;
  limits.initial = absl::Seconds(1);
  limits.max = absl::Seconds(8);
  limits.burst = 1000;
  return limits;
}

class WorkQueueTest : public ::testing::Test {
 protected:
  WorkQueueTest() { tasks_.Spawn("delays", queue_.RunDelays()); }
  ~WorkQueueTest() override { RunOn(io_, tasks_.Stop()); }

  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    clock_.Advance(time);
    Settle();
  }
  // One worker takes one key, and puts it into `taken_`.
  void SpawnTake(WorkQueue::Suits suits = nullptr) {
    tasks_.Spawn("take", TakeOne(*this, std::move(suits)));
  }
  static VoidTask TakeOne(WorkQueueTest& test, WorkQueue::Suits suits) {
    const std::optional<Key> key = co_await test.queue_.Take(std::move(suits));
    if (key.has_value()) {
      test.taken_.push_back(key->name);
    } else {
      ++test.ended_;
    }
  }
  // Takes everything that is ready, in order.
  std::vector<std::string> TakeAll() {
    taken_.clear();
    Settle();
    while (queue_.depth() > 0) {
      SpawnTake();
      Settle();
    }
    return taken_;
  }
  std::string Metrics() { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  prometheus::Registry registry_;
  QueueMetrics metrics_{registry_, "q"};
  WorkQueue queue_{Limits(), clock_, metrics_};
  TaskGroup tasks_{io_.get_executor()};
  std::vector<std::string> taken_;
  int ended_ = 0;
};

TEST_F(WorkQueueTest, AKeyIsThereOnceAndInOrder) {
  for (const Key& key : {kB, kA, kB, kC, kA}) queue_.Add(key);
  EXPECT_EQ(queue_.depth(), 3u);
  EXPECT_THAT(TakeAll(), ElementsAre("b", "a", "c"));
  EXPECT_EQ(queue_.running(), 3u);
}

TEST_F(WorkQueueTest, ATakerWaitsForAKey) {
  SpawnTake();
  Settle();
  EXPECT_THAT(taken_, IsEmpty());
  queue_.Add(kA);
  Settle();
  EXPECT_THAT(taken_, ElementsAre("a"));
}

TEST_F(WorkQueueTest, ATakerMayWaitForWhatSuitsIt) {
  std::set<std::string> suitable = {"c"};
  const auto suits = [&suitable](const Key& key) { return suitable.contains(key.name); };
  SpawnTake(suits);
  SpawnTake(suits);
  Settle();
  for (const Key& key : {kA, kB, kC}) queue_.Add(key);
  Settle();
  EXPECT_THAT(taken_, ElementsAre("c"));
  EXPECT_EQ(queue_.depth(), 2u);
  suitable.insert("b");
  queue_.Add(kB);
  Settle();
  EXPECT_THAT(taken_, ElementsAre("c", "b")) << "it has waited already, and suits now";
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, AddedWhileItIsWorkedOnItComesAgainAfterwards) {
  queue_.Add(kA);
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Add(kA);
  queue_.Add(kA);
  EXPECT_THAT(TakeAll(), IsEmpty());
  queue_.Done(kA);
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Done(kA);
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(WorkQueueTest, DoneOfWhatWasNotTakenIsNothing) {
  queue_.Done(kA);
  queue_.Add(kA);
  queue_.Done(kA);
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, OfSeveralDelaysTheEarliestCounts) {
  queue_.AddAfter(kA, absl::Seconds(10));
  queue_.AddAfter(kA, absl::Seconds(3));
  queue_.AddAfter(kA, absl::Seconds(5));
  EXPECT_EQ(queue_.delayed(), 1u);
  Pass(absl::Seconds(3) - absl::Nanoseconds(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
  Pass(absl::Nanoseconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Done(kA);
  Pass(absl::Minutes(1));
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(WorkQueueTest, AnEarlierDelayOfAnotherKeyIsNotSleptThrough) {
  queue_.AddAfter(kA, absl::Hours(1));
  Settle();
  queue_.AddAfter(kB, absl::Seconds(1));
  Pass(absl::Seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("b"));
}

TEST_F(WorkQueueTest, ADelayDoesNotHoldBackAPlainAdd) {
  queue_.AddAfter(kA, absl::Seconds(10));
  queue_.Add(kA);
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
  queue_.Done(kA);
  Pass(absl::Seconds(10));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, NoDelayIsAtOnce) {
  queue_.AddAfter(kA, absl::ZeroDuration());
  queue_.AddAfter(kB, -absl::Seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a", "b"));
}

TEST_F(WorkQueueTest, FailuresWaitLongerAndLonger) {
  for (const int seconds : {1, 2, 4, 8, 8}) {
    queue_.AddRateLimited(kA);
    Pass(absl::Seconds(seconds) - absl::Nanoseconds(1));
    EXPECT_THAT(TakeAll(), IsEmpty()) << seconds;
    Pass(absl::Nanoseconds(1));
    EXPECT_THAT(TakeAll(), ElementsAre("a")) << seconds;
    queue_.Done(kA);
  }
  EXPECT_EQ(queue_.failures(kA), 5);
  queue_.Forget(kA);
  queue_.AddRateLimited(kA);
  Pass(absl::Seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, AFailureWaitsAtLeastAsLongAsAsked) {
  queue_.AddRateLimited(kA, absl::Seconds(5));
  Pass(absl::Seconds(4));
  EXPECT_THAT(TakeAll(), IsEmpty());
  Pass(absl::Seconds(1));
  EXPECT_THAT(TakeAll(), ElementsAre("a"));
}

TEST_F(WorkQueueTest, ShutDownEndsTakersAndForgetsWhatWaits) {
  SpawnTake();
  SpawnTake();
  Settle();
  queue_.Add(kA);
  Settle();
  EXPECT_THAT(taken_, ElementsAre("a"));
  queue_.Add(kB);
  queue_.AddAfter(kC, absl::Seconds(1));
  queue_.ShutDown();
  Settle();
  EXPECT_EQ(taken_.size() + static_cast<size_t>(ended_), 2u);
  queue_.Add(kB);
  queue_.AddAfter(kC, absl::Seconds(1));
  queue_.AddRateLimited(kC);
  queue_.Done(kA);
  Pass(absl::Minutes(1));
  EXPECT_EQ(queue_.depth(), 0u);
  EXPECT_EQ(queue_.delayed(), 0u);
  EXPECT_EQ(queue_.running(), 0u);
  SpawnTake();
  Settle();
  EXPECT_GE(ended_, 2);
}

TEST_F(WorkQueueTest, Metrics) {
  queue_.Add(kA);
  queue_.Add(kB);
  clock_.Advance(absl::Seconds(5));
  SpawnTake();
  Settle();
  queue_.AddRateLimited(kC);
  clock_.Advance(absl::Milliseconds(500));
  queue_.MeasureUnfinished();
  EXPECT_THAT(Metrics(), HasSubstr("workqueue_depth{controller=\"q\",name=\"q\"} 1"));
  EXPECT_THAT(Metrics(), HasSubstr("workqueue_adds_total{controller=\"q\",name=\"q\"} 2"));
  EXPECT_THAT(Metrics(), HasSubstr("workqueue_retries_total{controller=\"q\",name=\"q\"} 1"));
  EXPECT_THAT(Metrics(),
              HasSubstr("workqueue_unfinished_work_seconds{controller=\"q\",name=\"q\"} 0.5"));
  EXPECT_THAT(
      Metrics(),
      HasSubstr("workqueue_longest_running_processor_seconds{controller=\"q\",name=\"q\"} 0.5"));
  EXPECT_THAT(Metrics(),
              HasSubstr("workqueue_queue_duration_seconds_sum{controller=\"q\",name=\"q\"} 5"));
  queue_.Done(kA);
  queue_.MeasureUnfinished();
  EXPECT_THAT(Metrics(),
              HasSubstr("workqueue_work_duration_seconds_sum{controller=\"q\",name=\"q\"} 0.5"));
  EXPECT_THAT(Metrics(),
              HasSubstr("workqueue_unfinished_work_seconds{controller=\"q\",name=\"q\"} 0\n"));
}

// The rules in a naive form.
class Model {
 public:
  Model(FakeClock& clock, RateLimits limits) : clock_(clock), limiter_(limits, clock) {}

  void Add(const Key& key) { wanted_.insert(key); }
  void AddAfter(const Key& key, absl::Duration delay) {
    if (delay <= absl::ZeroDuration()) return Add(key);
    const absl::Duration due = clock_.Monotonic() + delay;
    const auto [it, is_new] = due_.try_emplace(key, due);
    if (!is_new) it->second = std::min(it->second, due);
  }
  void AddRateLimited(const Key& key) { AddAfter(key, limiter_.Next(key)); }
  void Forget(const Key& key) { limiter_.Forget(key); }
  void TimePassed() {
    for (auto it = due_.begin(); it != due_.end();) {
      if (it->second <= clock_.Monotonic()) {
        wanted_.insert(it->first);
        it = due_.erase(it);
      } else {
        ++it;
      }
    }
  }
  void Take(const Key& key) {
    EXPECT_TRUE(wanted_.erase(key)) << key.name << " was not asked for";
    EXPECT_TRUE(running_.insert(key).second) << key.name << " was given out twice";
  }
  void Done(const Key& key) { running_.erase(key); }

  size_t ready() const {
    return static_cast<size_t>(std::count_if(
        wanted_.begin(), wanted_.end(), [this](const Key& k) { return !running_.contains(k); }));
  }
  size_t delayed() const { return due_.size(); }
  const std::set<Key>& running() const { return running_; }

 private:
  FakeClock& clock_;
  RateLimiter limiter_;
  std::set<Key> wanted_;
  std::set<Key> running_;
  std::map<Key, absl::Duration> due_;
};

class WorkQueueModelTest : public WorkQueueTest, public ::testing::WithParamInterface<uint32_t> {
 protected:
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  void Step() {
    const Key key = {"", std::string(1, static_cast<char>('a' + Below(6)))};
    switch (Below(8)) {
      case 0:
        queue_.Add(key);
        return model_.Add(key);
      case 1: {
        const absl::Duration delay = absl::Milliseconds(Below(20'000) - 1000);
        queue_.AddAfter(key, delay);
        return model_.AddAfter(key, delay);
      }
      case 2:
        queue_.AddRateLimited(key);
        return model_.AddRateLimited(key);
      case 3:
        queue_.Forget(key);
        return model_.Forget(key);
      case 4:
        clock_.Advance(absl::Milliseconds(Below(5000)));
        Settle();
        return model_.TimePassed();
      case 5:
        if (model_.running().empty()) return;
        return Finish(
            *std::next(model_.running().begin(), Below(static_cast<int>(model_.running().size()))));
      default:
        return TakeIfReady();
    }
  }
  void TakeIfReady() {
    if (queue_.depth() == 0) return;
    taken_.clear();
    SpawnTake();
    Settle();
    ASSERT_EQ(taken_.size(), 1u);
    model_.Take({"", taken_[0]});
  }
  void Finish(const Key key) {
    queue_.Done(key);
    model_.Done(key);
  }
  void Check() {
    Settle();
    EXPECT_EQ(queue_.depth(), model_.ready());
    EXPECT_EQ(queue_.delayed(), model_.delayed());
    EXPECT_EQ(queue_.running(), model_.running().size());
  }

  std::mt19937 random_{GetParam()};
  Model model_{clock_, Limits()};
};

TEST_P(WorkQueueModelTest, DoesWhatTheRulesSay) {
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    Step();
    Check();
  }
  for (int i = 0; i < 20; ++i) {
    Pass(absl::Minutes(1));
    model_.TimePassed();
    while (queue_.depth() > 0 && !HasFailure()) TakeIfReady();
    while (!model_.running().empty()) Finish(*model_.running().begin());
  }
  Check();
  EXPECT_EQ(queue_.depth() + queue_.delayed() + queue_.running(), 0u);
}

const Seeds kSeeds = SeedsOr({1, 40});
INSTANTIATE_TEST_SUITE_P(Seeds, WorkQueueModelTest, ::testing::Range(kSeeds.first, kSeeds.end()));

}  // namespace
}  // namespace steward::controllers

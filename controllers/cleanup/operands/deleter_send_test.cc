// Tests that DELETEs which waited inside the client leave only while they may, and of the cost of
// slow answers (R-000-78).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "base/async/race.h"
#include "base/async/yield.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class Silence : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

constexpr size_t kWidth = 4;
// The number of the executor's turns after which everything that can begin has begun.
constexpr int kQuiet = 300;
// A pass in which nothing happens for this long, in real time, never ends.
constexpr std::chrono::minutes kForEver(2);

// DELETEs wait in the client before their bytes leave, as long as `held_`, and for their answers,
// as long as `answer_takes_`. Time passes only when all tasks wait for it.
class DeleterSendTest : public ::testing::Test, public kube::Hooks {
 protected:
  void Start(int widgets, size_t batch, size_t round = 1000) {
    for (int i = 0; i < widgets; ++i) {
      cluster_.Run(cluster_.AddWidget(i % 2 == 0 ? "a" : "b", StrCat("x", i), false));
    }
    CleanerOptions options;
    options.deleter.width = kWidth;
    options.deleter.batch = batch;
    options.deleter.round = round;
    options.deleter.read_ahead = false;
    CleanerDeps deps{client_, leader_, events_, cluster_.clock(), metrics_, nullptr};
    cleaner_ = std::make_unique<Cleaner>(std::move(deps), options);
    Pass();
    cluster_.DeleteCsv();
    for (int i = 0; i < 10 && waited_ == 0; ++i) Pass();
    ASSERT_GT(waited_, 0u);
  }
  void TearDown() override { cleaner_.reset(); }

  void Pass() {
    cluster_.clock().Advance(absl::Milliseconds(1));
    VoidTask reconcile = Reconcile(*this);
    VoidTask time = PassTime(*this);
    cluster_.Run(UntilOneEnds(std::move(reconcile), std::move(time)));
  }
  // Passes that end with an error, as without leadership, do not matter here.
  static VoidTask Reconcile(DeleterSendTest& test) {
    (void)co_await test.cleaner_->Reconcile(kCsv);
  }
  static VoidTask PassTime(DeleterSendTest& test) {
    int quiet = 0;
    auto last = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - last < kForEver) {
      co_await Yield();
      const bool only_deletes = test.calls_ > 0 && test.calls_ == test.held_now_ + test.answering_;
      quiet = only_deletes ? quiet + 1 : 0;
      if (quiet < kQuiet) continue;
      quiet = 0;
      last = std::chrono::steady_clock::now();
      if (test.held_now_ > 0) {
        test.held_ = false;
        if (test.meanwhile_) test.meanwhile_();
      } else {
        test.cluster_.clock().Advance(absl::Milliseconds(500));
      }
    }
    ADD_FAILURE() << "the pass hangs";
  }

  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    ++calls_;
    if (call.verb == kube::ClientVerb::kList && call.gvr == kCsvs) ++readings_;
    if (call.verb == kube::ClientVerb::kDelete) {
      ++waited_;
      if (waited_ == 1 && at_first_) at_first_();
      if (held_ && waited_ > unheld_) {
        ++held_now_;
        while (held_) co_await Yield();
        --held_now_;
      }
    }
    co_return kube::HookedFate();
  }
  boost::asio::awaitable<void> After(const kube::HookedCall& call,
                                     const absl::Status& outcome) override {
    if (call.verb == kube::ClientVerb::kDelete && outcome.ok()) {
      ++carried_out_;
      ++answering_;
      co_await cluster_.clock().Sleep(answer_takes_);
      --answering_;
    }
    --calls_;
  }

  TestCluster cluster_;
  TestLeadership leader_;
  Silence events_;
  prometheus::Registry registry_;
  CleanupMetrics metrics_{registry_};
  kube::HookClient client_{cluster_.client(), *this};
  std::unique_ptr<Cleaner> cleaner_;

  bool held_ = false;
  size_t unheld_ = 0;                // the first DELETEs, which are not held
  std::function<void()> at_first_;   // called when the first DELETE is held
  std::function<void()> meanwhile_;  // called when all tasks wait, before the DELETEs leave
  absl::Duration answer_takes_;
  size_t calls_ = 0;  // under way
  size_t held_now_ = 0;
  size_t answering_ = 0;
  size_t waited_ = 0;  // DELETEs that the client has received
  size_t carried_out_ = 0;
  size_t readings_ = 0;
};

TEST_F(DeleterSendTest, NotUnderGuardsThatGrewOldInTheClient) {
  held_ = true;
  meanwhile_ = [this] { cluster_.clock().Advance(absl::Seconds(2)); };
  Start(3, 100);
  EXPECT_EQ(carried_out_, 0u);
  EXPECT_THAT(cluster_.Names(kWidgets), SizeIs(3));
  // Operands whose DELETEs were not sent are listed again.
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
}

// A round has given out all its DELETEs, and its readers have ended, when most of the DELETEs turn
// out not to have been sent.
TEST_F(DeleterSendTest, ARoundEndsThoughItsLastOnesWereNotSent) {
  held_ = true;
  unheld_ = 1;
  meanwhile_ = [this] { cluster_.clock().Advance(absl::Seconds(2)); };
  Start(9, 4, 4);
  EXPECT_EQ(carried_out_, 1u);
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
}

TEST_F(DeleterSendTest, StillUnderGuardsThatAreYoungEnough) {
  held_ = true;
  meanwhile_ = [this] { cluster_.clock().Advance(absl::Milliseconds(1900)); };
  Start(3, 100);
  EXPECT_EQ(carried_out_, 3u);
}

TEST_F(DeleterSendTest, NotWithoutLeadership) {
  held_ = true;
  meanwhile_ = [this] { leader_.leads = false; };
  Start(3, 100);
  EXPECT_EQ(carried_out_, 0u);
  EXPECT_THAT(cluster_.Names(kWidgets), SizeIs(3));
}

// Two DELETEs are held under a reading that allows them; the two waiting senders cause readings
// that do not.
TEST_F(DeleterSendTest, NotAfterALaterReadingAllowsNothing) {
  held_ = true;
  at_first_ = [this] { cluster_.SetDeployment("widget-operator", false); };
  Start(20, 2);
  EXPECT_EQ(waited_, 2u);
  EXPECT_EQ(carried_out_, 0u);
  EXPECT_THAT(cluster_.Names(kWidgets), SizeIs(20));
}

class SlowAnswersTest : public DeleterSendTest, public ::testing::WithParamInterface<int> {};

// Each group of DELETEs costs a reading or two, not a series of readings for as long as it waits.
TEST_P(SlowAnswersTest, AreOnlySlow) {
  answer_takes_ = absl::Seconds(GetParam());
  Start(30, 100);
  for (int i = 0; i < 100 && !cluster_.Names(kWidgets).empty(); ++i) Pass();
  EXPECT_THAT(cluster_.Names(kWidgets), IsEmpty());
  EXPECT_EQ(carried_out_, 30u) << "each was answered, and none was sent twice";
  EXPECT_LE(readings_, 60u);
}

INSTANTIATE_TEST_SUITE_P(Admission, SlowAnswersTest, ::testing::Values(2, 5, 20));

}  // namespace
}  // namespace steward::controllers

#include "controllers/rpc/bridge/preview_places.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

Requester Named(std::string user) {
  Requester requester;
  requester.user.name = std::move(user);
  return requester;
}

struct Caller {
  absl::StatusOr<PreviewPlaces::Place> place = absl::UnknownError("it waits");

  bool served() const { return place.ok(); }
  bool waits() const { return absl::IsUnknown(place.status()); }
};

class PreviewPlacesTest : public ::testing::Test {
 protected:
  ~PreviewPlacesTest() override {
    RunOn(io_, tasks_.Stop());
    callers_.clear();
  }
  Caller& Ask(const std::string& user) {
    Caller& caller = *callers_.emplace_back(std::make_unique<Caller>());
    tasks_.Spawn(user, Enter(Named(user), caller));
    Settle();
    return caller;
  }
  VoidTask Enter(Requester requester, Caller& caller) {
    caller.place = co_await places_.Enter(std::move(requester));
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  PreviewPlaces places_{clock_, {.steps = {.per_second = 2, .burst = 3}}};
  std::vector<std::unique_ptr<Caller>> callers_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(PreviewPlacesTest, WhoAsksForAllKeepsNobodyWaiting) {
  std::vector<Caller*> greedy;
  for (int i = 0; i < 100; ++i) greedy.push_back(&Ask("greedy"));
  int served = 0, waiting = 0;
  for (const Caller* each : greedy) {
    served += each->served() ? 1 : 0;
    waiting += each->waits() ? 1 : 0;
  }
  EXPECT_EQ(served, 2);
  EXPECT_EQ(waiting, 4);
  const kube::Status refused = kube::FromStatus(greedy.back()->place.status());
  EXPECT_EQ(refused.code, 429);
  EXPECT_EQ(refused.retry_after_seconds, 1);
  EXPECT_EQ(refused.message, "too many previews are being made, please try again later");
  for (const char* other : {"b", "b", "c", "d"}) EXPECT_TRUE(Ask(other).served()) << other;
}

TEST_F(PreviewPlacesTest, TheLastPlaceIsForWhoHasNone) {
  for (const char* user : {"a", "a", "b", "b", "c", "c", "d"}) EXPECT_TRUE(Ask(user).served());
  EXPECT_TRUE(Ask("d").waits());
  EXPECT_TRUE(Ask("e").served());
}

TEST_F(PreviewPlacesTest, TheWaitEndsWithAPlaceOrInTime) {
  Caller& first = Ask("a");
  Ask("a");
  Caller& third = Ask("a");
  Caller& fourth = Ask("a");
  first.place = absl::UnknownError("given back");
  Settle();
  EXPECT_TRUE(third.served());
  EXPECT_TRUE(fourth.waits());
  clock_.Advance(absl::Seconds(4));
  Settle();
  EXPECT_EQ(kube::FromStatus(fourth.place.status()).code, 429);
}

TEST_F(PreviewPlacesTest, EachUserHasOnePaceForAllPreviews) {
  int steps = 0;
  const auto walk = [](std::function<VoidTask()> pace, int* count) -> VoidTask {
    while (true) {
      co_await pace();
      ++*count;
    }
  };
  tasks_.Spawn("first", walk(places_.PaceOf(Named("a")), &steps));
  tasks_.Spawn("second", walk(places_.PaceOf(Named("a")), &steps));
  Settle();
  EXPECT_EQ(steps, 3);
  for (int i = 0; i < 4; ++i) {
    clock_.Advance(absl::Seconds(0.5));
    Settle();
  }
  EXPECT_EQ(steps, 7);
  int others = 0;
  tasks_.Spawn("other", walk(places_.PaceOf(Named("b")), &others));
  Settle();
  EXPECT_EQ(others, 3);
}

}  // namespace
}  // namespace steward::rpc

#include "base/fairness/user_pace.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward {
namespace {

class UserPaceTest : public ::testing::Test {
 protected:
  ~UserPaceTest() override { RunOn(io_, tasks_.Stop()); }

  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  VoidTask TakeAll(std::string user, int times, int* taken) {
    for (int i = 0; i < times; ++i) {
      co_await pace_.Take(user);
      ++*taken;
    }
  }
  void Start(const std::string& user, int times, int* taken) {
    tasks_.Spawn(user, TakeAll(user, times, taken));
    Settle();
  }
  void Advance(absl::Duration time) {
    clock_.Advance(time);
    Settle();
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  UserPace pace_{clock_, {.per_second = 2, .burst = 10, .users = 2}};
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(UserPaceTest, ABurstAndThenARate) {
  int a = 0, b = 0;
  Start("a", 100, &a);
  EXPECT_EQ(a, 10);
  Start("b", 3, &b);
  EXPECT_EQ(b, 3) << "each has a pace of their own";
  for (int turn = 1; turn <= 4; ++turn) {
    Advance(absl::Seconds(0.5));
    EXPECT_EQ(a, 10 + turn);
  }
}

TEST_F(UserPaceTest, AllOfAUsersTasksShareIt) {
  int first = 0, second = 0;
  Start("a", 100, &first);
  Start("a", 100, &second);
  for (int turn = 0; turn < 20; ++turn) Advance(absl::Seconds(0.5));
  EXPECT_EQ(first + second, 30);
  EXPECT_GE(second, 9);
}

TEST_F(UserPaceTest, WhoRestsHasABurstAgainAndNoMore) {
  int a = 0;
  Start("a", 10, &a);
  Advance(absl::Hours(1));
  Start("a", 100, &a);
  EXPECT_EQ(a, 20);
}

TEST_F(UserPaceTest, WhatIsRememberedIsBounded) {
  int taken = 0;
  for (const char* user : {"a", "b", "c"}) Start(user, 10, &taken);
  EXPECT_EQ(taken, 30);
  Start("a", 10, &taken);
  EXPECT_EQ(taken, 40) << "forgotten";
}

}  // namespace
}  // namespace steward

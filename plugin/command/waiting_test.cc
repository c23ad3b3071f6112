#include "plugin/command/waiting.h"

#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A state that is reached at the `comes`-th look.
class Train : public Awaited {
 public:
  explicit Train(int comes) : comes_(comes) {}

  Task<bool> IsDone(absl::Duration waited) override {
    told.push_back(StrCat("look ", absl::ToInt64Seconds(waited)));
    if (!broken.ok()) co_return broken;
    co_return --comes_ == 0;
  }
  void Show(absl::Duration waited) override {
    told.push_back(StrCat("show ", absl::ToInt64Seconds(waited)));
  }
  absl::Status OutOfTime(absl::Duration waited, absl::Duration limit) override {
    return Stalled(StrCat(absl::ToInt64Seconds(waited), " of ", absl::ToInt64Seconds(limit)));
  }

  std::vector<std::string> told;
  absl::Status broken;

 private:
  int comes_;
};

class WaitingTest : public ::testing::Test {
 protected:
  absl::Status Wait(Train& train, absl::Duration limit) {
    Session session = scene.session();
    return scene.Run(WaitFor(session, train, Deadline(scene.clock, limit), absl::Seconds(2)));
  }
  TestScene scene;
};

TEST_F(WaitingTest, LooksUntilItComes) {
  Train train(3);
  EXPECT_OK(Wait(train, absl::ZeroDuration()));
  EXPECT_THAT(train.told, ElementsAre("look 0", "show 0", "look 2", "show 2", "look 4"));
}

TEST_F(WaitingTest, WhatComesWithTheLastLookIsInTime) {
  Train train(3);
  EXPECT_OK(Wait(train, absl::Seconds(4)));
}

TEST_F(WaitingTest, EndsAtTheDeadline) {
  Train train(100);
  const absl::Status status = Wait(train, absl::Seconds(3));
  EXPECT_EQ(ExitOf(status), Exit::kStalled);
  EXPECT_EQ(status.message(), "4 of 3");
  EXPECT_THAT(train.told, ElementsAre("look 0", "show 0", "look 2", "show 2", "look 4"));
}

TEST_F(WaitingTest, AnErrorEndsIt) {
  Train train(3);
  train.broken = absl::InternalError("derailed");
  EXPECT_THAT(Wait(train, absl::ZeroDuration()), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(train.told, ElementsAre("look 0"));
}

TEST(ConfirmTest, AsksOnceUnlessToldNotTo) {
  struct Case {
    const char* name;
    bool yes;
    bool can_ask;
    const char* answer;
    Exit exit;
    bool asked;
  };
  for (const Case& c : {
           Case{"yes", false, true, "y", Exit::kDone, true},
           Case{"no", false, true, "n", Exit::kRefused, true},
           Case{"nobody there", false, false, "", Exit::kUsage, false},
           Case{"--yes", true, true, "n", Exit::kDone, false},
           Case{"--yes, nobody there", true, false, "", Exit::kDone, false},
       }) {
    SCOPED_TRACE(c.name);
    TestScene scene;
    scene.yes = c.yes;
    scene.can_ask = c.can_ask;
    scene.answers = {c.answer};
    Session session = scene.session();
    EXPECT_EQ(ExitOf(Confirm(session, "Really?")), c.exit);
    if (c.asked) {
      EXPECT_THAT(scene.screen, HasSubstr("Really?"));
    } else {
      EXPECT_THAT(scene.screen, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace steward::plugin

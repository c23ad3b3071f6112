#include "apiserver/upstream/circuit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward::upstream {
namespace {

class CircuitTest : public ::testing::Test {
 protected:
  void Fail() {
    auto pass = circuit_.Enter();
    ASSERT_OK(pass);
    pass->Failed("no route");
  }
  void Succeed() {
    auto pass = circuit_.Enter();
    ASSERT_OK(pass);
    pass->Succeeded();
  }
  bool Refuses() { return circuit_.Enter().status() == absl::UnavailableError("no route"); }

  FakeClock clock_;
  FixedRandom random_{0.0};
  Circuit circuit_{clock_, random_};
};

TEST_F(CircuitTest, OpensAfterFailuresInARowOnly) {
  Fail();
  Fail();
  Succeed();
  Fail();
  Fail();
  EXPECT_FALSE(circuit_.open());
  Fail();
  EXPECT_TRUE(circuit_.open());
  EXPECT_EQ(circuit_.OpenFor(), absl::Seconds(1));
  EXPECT_TRUE(Refuses());
}

TEST_F(CircuitTest, OneMayTryWhenItsTimeIsOver) {
  for (int i = 0; i < 3; ++i) Fail();
  clock_.Advance(absl::Seconds(1));
  auto probe = circuit_.Enter();
  ASSERT_OK(probe);
  EXPECT_TRUE(Refuses()) << "the others wait for the one";
  probe->Succeeded();
  Succeed();
  EXPECT_FALSE(circuit_.open());
}

TEST_F(CircuitTest, ItStaysOpenLongerEachTime) {
  for (int i = 0; i < 3; ++i) Fail();
  for (const int seconds : {1, 2, 4, 8, 16, 30, 30}) {
    EXPECT_EQ(circuit_.OpenFor(), absl::Seconds(seconds));
    clock_.Advance(absl::Seconds(seconds) - absl::Milliseconds(1));
    EXPECT_TRUE(Refuses());
    clock_.Advance(absl::Milliseconds(1));
    Fail();
  }
  clock_.Advance(absl::Seconds(30));
  Succeed();
  for (int i = 0; i < 3; ++i) Fail();
  EXPECT_EQ(circuit_.OpenFor(), absl::Seconds(1)) << "a success begins anew";
}

TEST_F(CircuitTest, ATryThatIsGivenUpLetsAnotherTry) {
  for (int i = 0; i < 3; ++i) Fail();
  clock_.Advance(absl::Seconds(1));
  {
    auto probe = circuit_.Enter();
    ASSERT_OK(probe);
    Circuit::Pass moved = *std::move(probe);
  }
  EXPECT_OK(circuit_.Enter());
}

TEST_F(CircuitTest, CallsOfBeforeDoNotOpenItLonger) {
  std::optional<Circuit::Pass> late(*circuit_.Enter());
  for (int i = 0; i < 3; ++i) Fail();
  late->Failed("late");
  EXPECT_EQ(circuit_.OpenFor(), absl::Seconds(1));
}

TEST_F(CircuitTest, ALateSuccessCloses) {
  std::optional<Circuit::Pass> late(*circuit_.Enter());
  for (int i = 0; i < 3; ++i) Fail();
  late->Succeeded();
  EXPECT_FALSE(circuit_.open());
}

TEST_F(CircuitTest, TimesHaveJitter) {
  FixedRandom random(0.5);
  Circuit circuit(clock_, random);
  for (int i = 0; i < 3; ++i) circuit.Enter()->Failed("x");
  EXPECT_EQ(circuit.OpenFor(), absl::Milliseconds(1250));
}

}  // namespace
}  // namespace steward::upstream

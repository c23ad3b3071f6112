#include "base/seeds/seeds.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace steward {
namespace {

class SeedsTest : public ::testing::Test {
 protected:
  void SetUp() override { Forget(); }
  void TearDown() override { Forget(); }
  static void Forget() {
    unsetenv("STEWARD_SEED");
    unsetenv("STEWARD_SEEDS");
    unsetenv("STEWARD_MODEL_PERCENT");
  }
};

TEST_F(SeedsTest, AreTheFixedOnes) {
  const Seeds seeds = SeedsOr({5, 60});
  EXPECT_EQ(seeds.first, 5u);
  EXPECT_EQ(seeds.end(), 65u);
}

TEST_F(SeedsTest, AreFresh) {
  setenv("STEWARD_SEED", "4294967000", 1);
  EXPECT_EQ(SeedsOr({1, 60}).first, 4294967000u);
  EXPECT_EQ(SeedsOr({1, 60}).count, 60u);
  EXPECT_EQ(SeedsOr({1, 300}).count, 1u) << "as many would be too large";
}

TEST_F(SeedsTest, OneIsReplayed) {
  setenv("STEWARD_SEED", "77", 1);
  setenv("STEWARD_SEEDS", "1", 1);
  EXPECT_EQ(SeedsOr({1, 60}).first, 77u);
  EXPECT_EQ(SeedsOr({1, 60}).end(), 78u);
}

TEST_F(SeedsTest, SlowProgramsTakeAShare) {
  EXPECT_EQ(ShareOf(200), 200u);
  EXPECT_EQ(StepOfShare(), 1u);
  setenv("STEWARD_MODEL_PERCENT", "15", 1);
  EXPECT_EQ(ShareOf(200), 30u);
  EXPECT_EQ(StepOfShare(), 7u);
  setenv("STEWARD_MODEL_PERCENT", "many", 1);
  EXPECT_EXIT(ShareOf(200), ::testing::ExitedWithCode(2), "STEWARD_MODEL_PERCENT is no number");
}

TEST_F(SeedsTest, NoNumberIsRefused) {
  for (const char* text : {"", "0", "x", "-1", "4294967296"}) {
    setenv("STEWARD_SEED", text, 1);
    EXPECT_EXIT(SeedsOr({1, 60}), ::testing::ExitedWithCode(2), "STEWARD_SEED is no number");
  }
}

}  // namespace
}  // namespace steward

#include "storage/world/rewind.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/async/turn.h"
#include "base/async/yield.h"
#include "base/text/str_cat.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"

namespace steward::storage {
namespace {

constexpr int kChanges = 3000;

VoidTask CountTurns(const bool& over, int& turns) {
  while (!over) {
    ++turns;
    co_await Yield();
  }
}

VoidTask Ask(RewindCache& cache, WorldPtr world, StateVector vector, std::vector<WorldPtr>& pasts) {
  WorldPtr past = co_await cache.At(std::move(world), vector);
  pasts.push_back(std::move(past));
}

// A World with one namespace whose labels change at every revision.
class RewindTest : public ::testing::Test {
 protected:
  RewindTest() {
    writer_.Replace(std::vector<olm::CsvPtr>{}, 100);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>{}, 100);
    writer_.Replace(std::vector<olm::NamespacePtr>{}, 100);
    for (int i = 1; i <= kChanges; ++i) {
      const std::string text =
          StrCat(R"({"metadata":{"name":"n","uid":"u","labels":{"i":")", i, R"("}}})");
      writer_.Put(*olm::DecodeNamespace(text), static_cast<uint64_t>(100 + i));
    }
    world_ = writer_.Snapshot();
  }
  // The state with the namespaces as they were at `revision`.
  StateVector At(uint64_t revision) const {
    StateVector vector = world_->Vector();
    vector[static_cast<size_t>(kNamespaceSource)] = revision;
    return vector;
  }
  static std::string LabelIn(const WorldPtr& world) {
    const olm::NamespacePtr* found = OperatorWorld::Of(*world).namespaces().Find("n");
    return found == nullptr ? "" : (*found)->labels.at("i");
  }

  boost::asio::io_context io_{1};
  OperatorWriter writer_;
  WorldPtr world_;
  RewindCache cache_;
};

TEST_F(RewindTest, TheObjectsAreAsTheyWere) {
  EXPECT_EQ(LabelIn(RunOn(io_, Rewind(world_, At(107)))), "7");
  EXPECT_EQ(LabelIn(RunOn(io_, Rewind(world_, At(100)))), "");
  EXPECT_EQ(LabelIn(RunOn(io_, cache_.At(world_, At(2000)))), "1900");
  EXPECT_EQ(RunOn(io_, Rewind(world_, world_->Vector())), world_);
}

TEST_F(RewindTest, OtherWorkGetsItsTurns) {
  int turns = 0;
  bool over = false;
  TaskGroup group(io_.get_executor());
  group.Spawn("others", CountTurns(over, turns));
  RunOn(io_, Rewind(world_, At(101)));
  EXPECT_GT(turns, kChanges / static_cast<int>(Turn::kSteps));
  over = true;
  RunOn(io_, group.Stop());
}

TEST_F(RewindTest, WhatCostsNextToNothingIsFoundAtOnce) {
  EXPECT_EQ(cache_.AtOnce(world_, world_->Vector()), world_);
  const WorldPtr near = cache_.AtOnce(world_, At(100 + kChanges - 3));
  ASSERT_NE(near, nullptr);
  EXPECT_EQ(LabelIn(near), StrCat(kChanges - 3));
  EXPECT_EQ(cache_.AtOnce(world_, At(100 + kChanges - 3)), near) << "remembered";
  EXPECT_EQ(cache_.AtOnce(world_, At(101)), nullptr);
  const WorldPtr far = RunOn(io_, cache_.At(world_, At(101)));
  EXPECT_EQ(cache_.AtOnce(world_, At(101)), far);
}

TEST_F(RewindTest, VectorsOfTheSameStateAreOne) {
  const WorldPtr past = RunOn(io_, cache_.At(world_, At(500)));
  StateVector other = At(500);
  // These sources have not changed since they were listed.
  other[static_cast<size_t>(kCsvSource)] = 100;
  other[static_cast<size_t>(kOperatorGroupSource)] += 7;
  EXPECT_EQ(RunOn(io_, cache_.At(world_, other)), past);
}

TEST_F(RewindTest, OneOfManyRewindsAndAnotherWhenItIsCancelled) {
  std::vector<WorldPtr> pasts;
  TaskGroup first(io_.get_executor());
  TaskGroup others(io_.get_executor());
  first.Spawn("first", Ask(cache_, world_, At(101), pasts));
  io_.poll_one();
  for (int i = 0; i < 3; ++i) others.Spawn("other", Ask(cache_, world_, At(101), pasts));
  io_.restart();
  for (int i = 0; i < 4; ++i) io_.poll_one();
  ASSERT_TRUE(pasts.empty());
  RunOn(io_, first.Stop());
  io_.restart();
  io_.poll();
  ASSERT_EQ(pasts.size(), 3u);
  for (const WorldPtr& past : pasts) {
    EXPECT_EQ(past, pasts[0]);
    EXPECT_EQ(LabelIn(past), "1");
  }
  RunOn(io_, others.Stop());
}

}  // namespace
}  // namespace steward::storage

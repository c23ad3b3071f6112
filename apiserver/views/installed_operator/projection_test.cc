#include "apiserver/views/installed_operator/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/views/testing/test_world.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Each appearance as "name@install", with '!' when it is not targeted.
std::vector<std::string> In(const TestWorld& world, const std::string& ns) {
  std::vector<std::string> seen;
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  for (const Appearance& a : AppearancesIn(*snapshot, ns)) {
    seen.push_back(a.csv->key.name + "@" + a.csv->key.ns + (a.targeted ? "" : "!"));
    // The search by name must agree with the list of all.
    const auto found = FindAppearance(*snapshot, ns, a.csv->key.name);
    EXPECT_TRUE(found && found->csv == a.csv && found->hidden == a.hidden &&
                found->targeted == a.targeted && found->own == a.own);
  }
  return seen;
}

TestWorld Cluster() {
  TestWorld world;
  world.Namespace("ops").Namespace("red", {{"team", "red"}}).Namespace("blue").Namespace("tools");
  return world;
}

// R-004-43, R-PRJ-06
TEST(ProjectionTest, OperatorsAppearWhereTheirGroupTargets) {
  TestWorld world = Cluster();
  world.Csv("ops", "all.v1").Group("ops", "g", {});
  world.Csv("tools", "some.v1").Group("tools", "g", {"red", "unborn"});
  EXPECT_THAT(In(world, "ops"), ElementsAre("all.v1@ops"));
  EXPECT_THAT(In(world, "red"), ElementsAre("all.v1@ops", "some.v1@tools"));
  EXPECT_THAT(In(world, "blue"), ElementsAre("all.v1@ops"));
  EXPECT_THAT(In(world, "tools"), ElementsAre("all.v1@ops", "some.v1@tools!"));
  EXPECT_THAT(In(world, "unborn"), IsEmpty());
  world.Namespace("unborn");
  EXPECT_THAT(In(world, "unborn"), ElementsAre("all.v1@ops", "some.v1@tools"));
}

TEST(ProjectionTest, SelectorsFollowLiveLabels) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1").Group("ops", "g", {}, "team=red");
  EXPECT_THAT(In(world, "red"), ElementsAre("x.v1@ops"));
  EXPECT_THAT(In(world, "blue"), IsEmpty());
  world.Namespace("blue", {{"team", "red"}}).Namespace("red");
  EXPECT_THAT(In(world, "red"), IsEmpty());
  EXPECT_THAT(In(world, "blue"), ElementsAre("x.v1@ops"));
  EXPECT_THAT(In(world, "ops"), ElementsAre("x.v1@ops!"));
}

// R-000-63
TEST(ProjectionTest, WithoutExactlyOneGroupOnlyTheOwnNamespaceShowsIt) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1");
  EXPECT_THAT(In(world, "ops"), ElementsAre("x.v1@ops!"));
  EXPECT_THAT(In(world, "red"), IsEmpty());
  world.Group("ops", "g", {});
  EXPECT_THAT(In(world, "red"), ElementsAre("x.v1@ops"));
  world.Group("ops", "h", {});
  EXPECT_THAT(In(world, "ops"), ElementsAre("x.v1@ops!"));
  EXPECT_THAT(In(world, "red"), IsEmpty());
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  EXPECT_EQ(AppearancesIn(*snapshot, "ops").front().group, nullptr);
}

TEST(ProjectionTest, WhatOlmWouldNotCopyStaysAtHome) {
  TestWorld world = Cluster();
  world.Group("ops", "g", {});
  world.Csv("ops", "new.v1", {.phase = "", .reason = ""});
  world.Csv("ops", "unsupported.v1", {.phase = "Failed", .reason = "UnsupportedOperatorGroup"});
  world.Csv("ops", "broken.v1", {.phase = "Failed", .reason = "InstallCheckFailed"});
  world.Csv("ops", "pending.v1", {.phase = "Pending", .reason = "RequirementsNotMet"});
  EXPECT_THAT(In(world, "red"), ElementsAre("broken.v1@ops", "pending.v1@ops"));
  EXPECT_THAT(In(world, "ops"),
              ElementsAre("broken.v1@ops", "new.v1@ops", "pending.v1@ops", "unsupported.v1@ops"));
}

// R-000-72 in spirit: a copy is never an original.
TEST(ProjectionTest, CopiesInTheClusterAreNotOriginals) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1").Group("ops", "g", {});
  world.Csv("red", "x.v1", {.reason = "Copied", .copied = true});
  world.Csv("blue", "stray.v1", {.reason = "Copied", .copied = true});
  world.Group("blue", "g", {"red"});
  EXPECT_THAT(In(world, "red"), ElementsAre("x.v1@ops"));
  EXPECT_THAT(In(world, "blue"), ElementsAre("x.v1@ops"));
}

TEST(ProjectionTest, OfEqualNamesOneAppearsAndTellsOfTheOthers) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1", {.day = 3}).Group("ops", "g", {});
  world.Csv("tools", "x.v1", {.day = 2}).Group("tools", "g", {"red", "blue"});
  world.Csv("blue", "x.v1", {.day = 9});
  EXPECT_THAT(In(world, "red"), ElementsAre("x.v1@tools"));
  EXPECT_THAT(In(world, "blue"), ElementsAre("x.v1@blue!"));
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  const auto hidden = [&](const char* ns) {
    std::vector<std::string> names;
    const Appearance seen = *FindAppearance(*snapshot, ns, "x.v1");
    for (const olm::Csv* csv : seen.hidden) {
      names.push_back(csv->key.ns);
    }
    return names;
  };
  EXPECT_THAT(hidden("red"), ElementsAre("ops"));
  EXPECT_THAT(hidden("blue"), ElementsAre("tools", "ops"));
  EXPECT_THAT(hidden("ops"), IsEmpty());
}

TEST(ProjectionTest, AbsentNames) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1").Group("ops", "g", {"red"});
  const storage::OperatorWorldPtr snapshot = world.Snapshot();
  EXPECT_FALSE(FindAppearance(*snapshot, "red", "y.v1"));
  EXPECT_FALSE(FindAppearance(*snapshot, "blue", "x.v1"));
  EXPECT_FALSE(FindAppearance(*snapshot, "nowhere", "x.v1"));
}

}  // namespace
}  // namespace steward::views

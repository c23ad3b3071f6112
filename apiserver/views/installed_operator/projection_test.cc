#include "apiserver/views/installed_operator/projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/views/testing/test_world.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/world/number.h"

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

// In the sense of R-000-72: a copy is never an original.
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

// R-PRJ-06: an appearance's own number stays until something visible changes, and says what it is
// computed from.
TEST(ProjectionTest, OwnNumbers) {
  TestWorld world = Cluster();  // revisions 11 to 14
  world.Csv("ops", "x.v1").Group("ops", "g", {}, "team=red");
  const auto number = [&world](const std::string& ns) {
    const storage::OperatorWorldPtr snapshot = world.Snapshot();
    return OwnNumber(*FindAppearance(*snapshot, ns, "x.v1"));
  };
  const storage::Number first = *number("red");
  EXPECT_EQ(first.mark, storage::Number::kOwn);
  EXPECT_EQ(first.clock / storage::kTicks, 16u);
  EXPECT_THAT(first.vector, ElementsAre(15, 16, 12));
  const std::string red = first.ToString();
  EXPECT_EQ(storage::Number::Parse(red)->ToString(), red);

  world.Csv("tools", "y.v1").Namespace("blue", {{"team", "blue"}});
  EXPECT_EQ(number("red")->ToString(), red) << "nothing of it changed";
  // None of its inputs was written, but the group selects two namespaces now.
  world.Namespace("blue", {{"team", "red"}});
  const std::string more = number("red")->ToString();
  EXPECT_NE(more, red);
  EXPECT_EQ(number("red")->clock / storage::kTicks, 16u);
  world.Namespace("blue");
  EXPECT_EQ(number("red")->ToString(), red);
  // Without a group in force it is seen at home alone.
  const std::string home = number("ops")->ToString();
  world.Group("ops", "second", {});
  EXPECT_NE(number("ops")->ToString(), home);
  EXPECT_THAT(number("ops")->vector, ElementsAre(15, 0, 11));
  world.writer().Remove(storage::kOperatorGroupSource, {"ops", "second"}, 50);
  EXPECT_EQ(number("ops")->ToString(), home);

  // An operator that hides another has no own number, because the hidden one may vanish without a
  // trace.
  world.Namespace("blue", {{"team", "red"}}).Csv("tools", "x.v1").Group("tools", "g", {"red"});
  EXPECT_EQ(number("red"), std::nullopt);
  EXPECT_NE(number("blue"), std::nullopt);
  world.writer().Remove(storage::kCsvSource, {"tools", "x.v1"}, 60);
  EXPECT_EQ(number("red")->ToString(), more);
}

// The number of an object with a group differs from that without, even if the group's revision is
// too far back for the number.
TEST(ProjectionTest, OwnNumbersTellAnOldGroupFromNone) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1").Group("ops", "g", {}, "team=nobodys");
  auto csv = std::make_shared<olm::Csv>(**world.Snapshot()->csvs().Find({"ops", "x.v1"}));
  csv->written.revision = 20'000'000;
  world.writer().Put(olm::CsvPtr(csv), csv->written.revision);
  const auto number = [&world] {
    return OwnNumber(*FindAppearance(*world.Snapshot(), "ops", "x.v1"))->ToString();
  };
  const std::string with = number();
  world.writer().Remove(storage::kOperatorGroupSource, {"ops", "g"}, 20'000'001);
  EXPECT_NE(number(), with);
}

// Some writes change no visible part of an object. Every replica must know their revisions,
// whenever it started.
TEST(ProjectionTest, AWriteThatShowsNowhereIsKnown) {
  TestWorld world = Cluster();
  world.Csv("ops", "x.v1").Group("ops", "g", {});
  const auto vector = [&world] {
    const storage::OperatorWorldPtr snapshot = world.Snapshot();
    return OwnNumber(*FindAppearance(*snapshot, "red", "x.v1"))->vector;
  };
  EXPECT_THAT(vector(), ElementsAre(15, 16, 12));
  const uint64_t changes = world.Snapshot()->changes();
  const std::string_view text = (*world.Snapshot()->csvs().Find({"ops", "x.v1"}))->spec_json.view();
  world.Csv("ops", "x.v1");
  EXPECT_THAT(vector(), ElementsAre(17, 16, 12));
  world.Group("ops", "g", {}).Namespace("red", {{"team", "red"}});
  EXPECT_THAT(vector(), ElementsAre(17, 18, 19));
  EXPECT_EQ(world.Snapshot()->changes(), changes);
  EXPECT_EQ((*world.Snapshot()->csvs().Find({"ops", "x.v1"}))->spec_json.view().data(), text.data())
      << "a text that is held, and perhaps compressed, stays";
}

TEST(ProjectionTest, WithoutRevisionsThereAreNoOwnNumbers) {
  TestWorld world = Cluster();
  world.CsvJson(R"({"metadata":{"name":"x.v1","namespace":"ops","uid":"x"}})");
  EXPECT_EQ(OwnNumber(*FindAppearance(*world.Snapshot(), "ops", "x.v1")), std::nullopt);
}

}  // namespace
}  // namespace steward::views

// Tests of the World, its past and its numbers over a source set that no other code knows.
#include "storage/world/source_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "storage/world/history.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/testing/lamp_world.h"
#include "storage/world/touched.h"
#include "storage/world/world_metrics.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;

ObjectPtr MakeRoom(const std::string& name, bool powered = false) {
  return std::make_shared<const Room>(Room{{"", name}, "r-" + name, powered});
}
ObjectPtr MakeLamp(const std::string& room, const std::string& name, bool on = false) {
  return std::make_shared<const Lamp>(Lamp{{room, name}, "l-" + name, {}, on});
}

class SourceSetTest : public ::testing::Test {
 protected:
  SourceSetTest() {
    writer_.Replace(kRoomSource, {MakeRoom("hall")}, 10);
    writer_.Replace(kLampSource, {MakeLamp("hall", "floor"), MakeLamp("hall", "desk")}, 12);
  }
  std::string Text() {
    store_.Publish(writer_.Snapshot());
    return store_.Now().number().ToString();
  }

  boost::asio::io_context io_{1};
  WorldWriter writer_{kLampSources};
  WorldStore store_{kLampSources};
};

TEST_F(SourceSetTest, AWorldIsOfItsSet) {
  EXPECT_EQ(&store_.Current()->set(), &kLampSources);
  EXPECT_FALSE(store_.Current()->synced());
  const WorldPtr world = writer_.Snapshot();
  EXPECT_TRUE(world->synced());
  EXPECT_EQ(world->sources().size(), 2u);
  EXPECT_EQ(world->CountOf(kLampSource), 2u);
  EXPECT_EQ(world->Vector(), (StateVector{10, 12, 0}));
}

TEST_F(SourceSetTest, TheLastComponentOfANumberStaysEmpty) {
  EXPECT_EQ(Text(), "12009999999799999990000000");
  writer_.Put(kRoomSource, MakeRoom("hall", true), 20);
  EXPECT_EQ(Text(), "20009999999999999910000000");
  // The other source's stream lags behind.
  writer_.Remove(kLampSource, {"hall", "desk"}, 19);
  EXPECT_EQ(Text(), "20019999999999999980000000");
  ASSERT_OK_AND_ASSIGN(const Number number, Number::Parse(Text()));
  EXPECT_EQ(number.vector, writer_.Snapshot()->Vector());
  EXPECT_EQ(writer_.Snapshot()->Knows(number.vector), Knowledge::kKnown);
}

TEST_F(SourceSetTest, AVectorOfALargerSetIsNotKnown) {
  EXPECT_EQ(writer_.Snapshot()->Knows({10, 12, 12}), Knowledge::kForgotten);
  EXPECT_EQ(writer_.Snapshot()->Knows({10, 13, 0}), Knowledge::kNotYet);
}

TEST_F(SourceSetTest, ThePastComesBack) {
  const WorldPtr before = writer_.Snapshot();
  writer_.Put(kRoomSource, MakeRoom("cellar"), 20);
  writer_.Put(kLampSource, MakeLamp("hall", "desk", true), 21);
  writer_.Remove(kLampSource, {"hall", "floor"}, 22);
  const WorldPtr now = writer_.Snapshot();

  const Touched touched = TouchedBetween(*now, before->Vector(), now->Vector());
  std::vector<std::string> names;
  for (const auto& [source, key] : touched.objects) names.push_back(key->name);
  EXPECT_THAT(names, ElementsAre("cellar", "desk", "floor"));
  EXPECT_EQ(touched.floor, 19u);

  const WorldPtr past = RunOn(io_, Rewind(now, before->Vector()));
  EXPECT_EQ(past->KeysOf(kRoomSource), before->KeysOf(kRoomSource));
  EXPECT_EQ(past->KeysOf(kLampSource), before->KeysOf(kLampSource));
  EXPECT_FALSE((*LampWorld::Of(*past).lamps().Find({"hall", "desk"}))->on);
  EXPECT_TRUE((*LampWorld::Of(*now).lamps().Find({"hall", "desk"}))->on);
}

TEST_F(SourceSetTest, TheLogIsBounded) {
  for (uint64_t i = 0; i <= History::kMaxChanges; ++i) {
    writer_.Put(kRoomSource, MakeRoom("hall", i % 2 == 0), 100 + i);
  }
  const WorldPtr world = writer_.Snapshot();
  EXPECT_EQ(world->source(kRoomSource).history.log().size(), History::kMaxChanges);
  EXPECT_EQ(world->Knows({10, 12, 0}), Knowledge::kForgotten);
  EXPECT_EQ(world->Knows(world->Vector()), Knowledge::kKnown);
}

TEST_F(SourceSetTest, AnAbsentKindKeepsUp) {
  writer_.ReplaceAbsent(kLampSource);
  EXPECT_EQ(writer_.Snapshot()->CountOf(kLampSource), 0u);
  writer_.Put(kRoomSource, MakeRoom("cellar"), 500);
  EXPECT_EQ(writer_.Snapshot()->Vector(), (StateVector{500, 500, 0}));
}

TEST_F(SourceSetTest, ABookmarkLiftsItsSourceAlone) {
  const absl::Time now = absl::UnixEpoch();
  writer_.Bookmark(kLampSource, 300, now);
  writer_.Bookmark(kLampSource, 400, now + kBookmarkAge);
  EXPECT_EQ(writer_.Snapshot()->Vector(), (StateVector{10, 300, 0}));
}

// A restored etcd uses the same revisions again.
TEST_F(SourceSetTest, BookmarksOfAnotherEtcdLiftNothing) {
  const absl::Time now = absl::UnixEpoch();
  writer_.Bookmark(kLampSource, 300, now);
  writer_.Replace(kLampSource, {}, 200);
  writer_.Bookmark(kLampSource, 250, now + kBookmarkAge / 2);
  writer_.Bookmark(kLampSource, 310, now + kBookmarkAge);
  EXPECT_EQ(writer_.Snapshot()->Vector(), (StateVector{10, 200, 0}));
  writer_.Bookmark(kLampSource, 320, now + 1.5 * kBookmarkAge);
  EXPECT_EQ(writer_.Snapshot()->Vector(), (StateVector{10, 250, 0}));
}

TEST_F(SourceSetTest, MetricsNameItsSources) {
  prometheus::Registry registry;
  WorldMetrics metrics(registry, kLampSources);
  metrics.Observe(*writer_.Snapshot());
  std::vector<std::string> objects;
  for (const prometheus::MetricFamily& family : registry.Collect()) {
    if (family.name != "steward_world_objects") continue;
    for (const prometheus::ClientMetric& metric : family.metric) {
      objects.push_back(metric.label[0].value + " " +
                        std::to_string(static_cast<int>(metric.gauge.value)));
    }
  }
  EXPECT_THAT(objects, ::testing::UnorderedElementsAre("rooms 1", "lamps 2"));
}

}  // namespace
}  // namespace steward::storage

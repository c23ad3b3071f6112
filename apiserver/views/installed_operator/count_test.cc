#include "apiserver/views/installed_operator/count.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/installed_operator/cursors.h"
#include "apiserver/views/testing/test_world.h"
#include "base/async/run.h"
#include "base/seeds/seeds.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"

namespace steward::views {
namespace {

class CountTest : public ::testing::Test {
 protected:
  // The list, made by a look at each.
  std::vector<kube::NamespacedName> ListOf(const storage::OperatorWorldPtr& world,
                                           const std::string& ns) {
    rest::Selection selection;
    selection.ns = ns;
    ListCursor cursor(world, selection);
    std::vector<kube::NamespacedName> keys;
    while (true) {
      while (const rest::Object* object = cursor.Next()) {
        keys.push_back({std::string(object->ns()), std::string(object->name())});
      }
      if (!*RunOn(io_, cursor.More())) return keys;
    }
  }

  int64_t Count(const storage::OperatorWorldPtr& world, const std::string& ns,
                std::optional<kube::NamespacedName> after = std::nullopt) {
    const absl::StatusOr<int64_t> count = RunOn(io_, CountBehind(world, ns, std::move(after)));
    EXPECT_OK(count);
    return count.value_or(-1);
  }

  // Compares the counts from every place in the list, and from places between.
  void ExpectExact(const storage::OperatorWorldPtr& world, const std::string& ns) {
    const std::vector<kube::NamespacedName> keys = ListOf(world, ns);
    EXPECT_EQ(Count(world, ns), static_cast<int64_t>(keys.size()));
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(Count(world, ns, keys[i]), static_cast<int64_t>(keys.size() - i - 1))
          << keys[i].ns << "/" << keys[i].name;
    }
    const kube::NamespacedName nowhere{ns.empty() ? "bb" : ns, "n"};
    int64_t behind = 0;
    for (const kube::NamespacedName& key : keys) behind += nowhere < key ? 1 : 0;
    EXPECT_EQ(Count(world, ns, nowhere), behind);
  }

  boost::asio::io_context io_;
};

TEST_F(CountTest, Nothing) {
  EXPECT_EQ(Count(TestWorld().Snapshot(), ""), 0);
  EXPECT_EQ(Count(TestWorld().Snapshot(), "none"), 0);
}

TEST_F(CountTest, OneNameCountsOnce) {
  TestWorld world;
  world.Namespace("blue").Namespace("ops").Namespace("red").Namespace("tools");
  world.Group("ops", "all", {}).Csv("ops", "a.v1").Csv("ops", "b.v1");
  world.Group("tools", "all", {}).Csv("tools", "a.v1");     // everywhere, as a second one
  world.Group("blue", "some", {"red", "blue", "nowhere"});  // and once more
  world.Csv("blue", "a.v1").Csv("blue", "c.v1").Csv("red", "b.v1");
  EXPECT_EQ(Count(world.Snapshot(), ""), 2 + 3 + 3 + 2);
  ExpectExact(world.Snapshot(), "");
  for (const char* ns : {"blue", "ops", "red", "tools", "nowhere"}) {
    ExpectExact(world.Snapshot(), ns);
  }
}

TEST_F(CountTest, WhatIsNotCopiedCountsWhereItIs) {
  TestWorld world;
  world.Namespace("blue").Namespace("ops").Group("ops", "all", {});
  world.Csv("ops", "new.v1", {.phase = ""}).Csv("ops", "copy.v1", {.copied = true});
  world.Csv("blue", "copy.v1", {.copied = true}).Csv("ops", "fine.v1");
  EXPECT_EQ(Count(world.Snapshot(), ""), 3);
  ExpectExact(world.Snapshot(), "");
}

TEST_F(CountTest, RandomWorlds) {
  const Seeds seeds = SeedsOr({1, 150});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&random](unsigned bound) { return random() % bound; };
    const auto some = [&](std::initializer_list<const char*> names) -> std::string {
      return names.begin()[below(static_cast<unsigned>(names.size()))];
    };
    const auto place = [&] { return some({"a", "b", "ba", "c", "d", "e"}); };
    TestWorld world;
    for (const char* ns : {"a", "b", "ba", "c", "d"}) {
      if (below(6) > 0) world.Namespace(ns, {{"team", some({"x", "y"})}});
    }
    for (unsigned i = below(8); i > 0; --i) {
      const std::string ns = place(), name = some({"one", "one", "two"});
      switch (below(3)) {
        case 0:
          world.Group(ns, name, {});
          break;
        case 1:
          world.Group(ns, name, {place(), place()});
          break;
        default:
          world.Group(ns, name, {}, below(2) == 0 ? "team=x" : "team");
      }
    }
    for (unsigned i = below(14); i > 0; --i) {
      world.Csv(place(), some({"m", "n", "o", "p"}),
                {.phase = below(4) == 0 ? "" : "Succeeded", .copied = below(5) == 0});
    }
    ExpectExact(world.Snapshot(), "");
    ExpectExact(world.Snapshot(), place());
  }
}

}  // namespace
}  // namespace steward::views

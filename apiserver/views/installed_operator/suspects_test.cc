#include "apiserver/views/installed_operator/suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/testing/test_world.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world.h"

namespace steward::views {
namespace {

using ::testing::Optional;
using ::testing::UnorderedElementsAre;
using Keys = std::set<kube::NamespacedName>;

VoidTask CountTurns(const bool& over, int& turns) {
  while (!over) {
    ++turns;
    co_await Yield();
  }
}

class SuspectsTest : public ::testing::Test {
 protected:
  // Finds the suspects for a client that may lack any change after revision `horizon`.
  std::optional<Keys> Find(const rest::Selection& selection, int64_t horizon = 10) {
    const storage::OperatorWorldPtr now = world_.Snapshot();
    bool over = false;
    turns_ = 0;
    TaskGroup group(io_.get_executor());
    group.Spawn("others", CountTurns(over, turns_));
    Window window{now, now, now->Vector(), horizon};
    std::optional<Keys> found = RunOn(io_, InstalledOperatorSuspects(std::move(window), selection));
    over = true;
    RunOn(io_, group.Stop());
    return found;
  }
  static rest::Selection In(const std::string& ns) {
    rest::Selection selection;
    selection.ns = ns;
    return selection;
  }

  boost::asio::io_context io_{1};
  TestWorld world_;
  int turns_ = 0;
};

TEST_F(SuspectsTest, WhatCouldHaveBeenVisible) {
  world_.Namespace("ops").Namespace("blue").Namespace("red");
  world_.Group("ops", "g", {"blue"}).Csv("ops", "a.v1").Csv("elsewhere", "b.v1");
  world_.Group("ops", "g", {"red"});
  EXPECT_THAT(Find({}), Optional(UnorderedElementsAre(kube::NamespacedName{"ops", "a.v1"},
                                                      kube::NamespacedName{"blue", "a.v1"},
                                                      kube::NamespacedName{"red", "a.v1"})));
  EXPECT_THAT(Find(In("blue")),
              Optional(UnorderedElementsAre(kube::NamespacedName{"blue", "a.v1"})));
  EXPECT_THAT(Find(In("nowhere")), Optional(UnorderedElementsAre()));
}

// When a group no longer selects a namespace, the mode of its operators changes in other
// namespaces, too.
TEST_F(SuspectsTest, NamespacesChangeTheModeOfOperators) {
  struct Case {
    const char* name;
    kube::LabelMap labels;
    bool is_suspect;
  };
  for (const Case& c : {Case{"selected no longer", {}, true},
                        Case{"selected as before", {{"q", ""}, {"p", ""}}, false}}) {
    SCOPED_TRACE(c.name);
    world_ = TestWorld();
    world_.Namespace("ops").Namespace("blue", {{"q", ""}}).Group("ops", "g", {}, "q");
    world_.Csv("ops", "a.v1");
    const auto before = static_cast<int64_t>(world_.revision());
    world_.Namespace("blue", c.labels);
    const std::optional<Keys> found = Find({}, before);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->contains({"blue", "a.v1"}));
    EXPECT_EQ(found->contains({"ops", "a.v1"}), c.is_suspect);
  }
}

TEST_F(SuspectsTest, NamespacesThatComeChangeTheModeOfOperators) {
  world_.Namespace("ops").Group("ops", "g", {}, "q").Csv("ops", "a.v1");
  const auto before = static_cast<int64_t>(world_.revision());
  world_.Namespace("blue", {{"q", ""}});
  EXPECT_THAT(Find({}, before),
              Optional(UnorderedElementsAre(kube::NamespacedName{"ops", "a.v1"},
                                            kube::NamespacedName{"blue", "a.v1"})));
}

TEST_F(SuspectsTest, LooksForTheModeAreCounted) {
  world_.Namespace("ops").Csv("ops", "a.v1");
  for (int i = 0; i < 400; ++i) world_.Group("ops-" + std::to_string(i), "g", {}, "q");
  const auto before = static_cast<int64_t>(world_.revision());
  for (int i = 0; i < 400; ++i) world_.Namespace("blue", {{"i", std::to_string(i)}});
  EXPECT_EQ(Find(In("nowhere"), before), std::nullopt) << "160,000 pairs of a group and a form";
}

// Looks count even if they find something: the first form is selected, as is the last but one.
TEST_F(SuspectsTest, LooksThatFindAChangeOfModeAreCounted) {
  world_.Namespace("ops").Csv("ops", "a.v1").Namespace("blue", {{"q", ""}});
  for (int i = 0; i < 400; ++i) world_.Group("ops-" + std::to_string(i), "g", {}, "q");
  const auto before = static_cast<int64_t>(world_.revision());
  for (int i = 0; i < 398; ++i) {
    world_.Namespace("blue", {{"q", ""}, {"i", std::to_string(i)}});
  }
  world_.Namespace("blue").Namespace("blue", {{"q", ""}});
  EXPECT_EQ(Find(In("nowhere"), before), std::nullopt) << "160,000 pairs of a group and a form";
}

// A client can choose only the number and the namespace.
TEST_F(SuspectsTest, LooksAreCountedWithANamespaceSelectedToo) {
  world_.Namespace("ops").Csv("ops", "a.v1");
  for (int i = 0; i < 400; ++i) world_.Namespace("blue", {{"i", std::to_string(i)}});
  for (int i = 0; i < 400; ++i) world_.Group("ops", "g", {"other-" + std::to_string(i)});
  EXPECT_EQ(Find(In("blue")), std::nullopt) << "160,000 pairs of a namespace and a group";
}

TEST_F(SuspectsTest, OtherWorkGetsItsTurns) {
  for (int i = 0; i < 3000; ++i) world_.Csv("ops", "csv-" + std::to_string(i));
  world_.Namespace("ops");
  EXPECT_TRUE(Find(In("nowhere")).has_value());
  EXPECT_GT(turns_, 6);
}

}  // namespace
}  // namespace steward::views

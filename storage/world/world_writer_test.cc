#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/resource_version.h"
#include "kube/meta/selector.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

olm::CsvPtr Csv(std::string ns, std::string name, std::string phase = "Succeeded") {
  auto csv = std::make_shared<olm::Csv>();
  csv->key = {std::move(ns), std::move(name)};
  csv->uid = csv->key.ns + "/" + csv->key.name;
  csv->phase = std::move(phase);
  return csv;
}

olm::CsvPtr Copy(std::string ns, std::string name) {
  auto csv = std::make_shared<olm::Csv>(*Csv(std::move(ns), std::move(name)));
  csv->copied = true;
  return csv;
}

olm::OperatorGroupPtr Group(std::string ns, std::string name, std::vector<std::string> list,
                            const char* selector = nullptr) {
  auto group = std::make_shared<olm::OperatorGroup>();
  group->key = {std::move(ns), std::move(name)};
  group->uid = group->key.ns + "/" + group->key.name;
  group->target_namespaces = std::move(list);
  if (selector != nullptr) group->selector = *kube::LabelSelector::Parse(selector);
  return group;
}

olm::NamespacePtr Ns(std::string name, kube::LabelMap labels = {}) {
  auto ns = std::make_shared<olm::Namespace>();
  ns->uid = "uid-" + name;
  ns->name = std::move(name);
  ns->labels = std::move(labels);
  return ns;
}

class WorldWriterTest : public ::testing::Test {
 protected:
  // Replaces all three sources by empty lists, at revisions 10, 11 and 12.
  void Sync() {
    writer_.Replace(std::vector<olm::CsvPtr>{}, 10);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>{}, 11);
    writer_.Replace(std::vector<olm::NamespacePtr>{}, 12);
  }
  std::string Text() {
    store_.Publish(writer_.Snapshot());
    return store_.Now().number().ToString();
  }
  kube::PackedVersion Version() { return *kube::Unpack(Text()); }

  OperatorWriter writer_;
  WorldStore store_{kOperatorSources};
};

TEST_F(WorldWriterTest, SyncedWhenEverySourceIs) {
  EXPECT_FALSE(writer_.Snapshot()->synced());
  writer_.Replace(std::vector<olm::CsvPtr>{}, 10);
  writer_.ReplaceAbsent(kOperatorGroupSource);
  EXPECT_FALSE(writer_.Snapshot()->synced());
  writer_.Replace(std::vector<olm::NamespacePtr>{}, 12);
  EXPECT_TRUE(writer_.Snapshot()->synced());
}

TEST_F(WorldWriterTest, TheNumberHoldsTheRevisions) {
  Sync();
  EXPECT_EQ(Version().components[0], 10u);
  EXPECT_EQ(Version().components[1], 11u);
  EXPECT_EQ(Version().components[2], 12u);
  EXPECT_EQ(Version().clock, 12u);
  writer_.Put(Csv("ops", "a"), 20);
  EXPECT_EQ(Version().components[0], 20u);
  EXPECT_EQ(Version().clock, 20u);
}

TEST_F(WorldWriterTest, OnlyVisibleChangesMoveTheNumber) {
  Sync();
  writer_.Put(Csv("ops", "a"), 20);
  const std::string number = Text();
  writer_.Put(Csv("ops", "a"), 21);  // equal in everything that the rules read
  writer_.Put(Copy("other", "a"), 22);
  writer_.Remove(kCsvSource, {"other", "a"}, 23);
  writer_.Remove(kCsvSource, {"other", "never there"}, 24);
  writer_.Progress(kNamespaceSource, 30);
  EXPECT_EQ(Text(), number);
  EXPECT_EQ(writer_.Snapshot()->source(kCsvSource).seen(), 24u);
  EXPECT_EQ(writer_.Snapshot()->source(kNamespaceSource).seen(), 30u);
}

TEST_F(WorldWriterTest, WhatCleanupReadsIsVisible) {
  Sync();
  const auto changes = [this] { return writer_.Snapshot()->changes(); };
  const auto with = [](olm::CsvPtr csv, std::vector<std::string> finalizers) {
    olm::CsvCleanup cleanup;
    cleanup.facts.finalizers = std::move(finalizers);
    auto next = std::make_shared<olm::Csv>(*csv);
    next->cleanup = std::make_shared<const olm::CsvCleanup>(std::move(cleanup));
    return olm::CsvPtr(std::move(next));
  };
  writer_.Put(with(Csv("ops", "a"), {"x"}), 20);
  uint64_t before = changes();
  writer_.Put(with(Csv("ops", "a"), {"x"}), 21);
  EXPECT_EQ(changes(), before) << "the same in another place";
  writer_.Put(with(Csv("ops", "a"), {}), 22);
  EXPECT_EQ(changes(), ++before);
  // A possible copy that is not proven can still block others.
  writer_.Put(with(Copy("other", "b"), {}), 23);
  EXPECT_EQ(changes(), ++before);
  writer_.Remove(kCsvSource, {"other", "b"}, 24);
  EXPECT_EQ(changes(), ++before);

  writer_.Put(Ns("t", {{"x", ""}}), 25);
  writer_.Put(Group("ops", "g", {}, "x"), 26);
  before = changes();
  auto synced = std::make_shared<olm::OperatorGroup>(*Group("ops", "g", {}, "x"));
  synced->synced = {{"t"}};
  writer_.Put(olm::OperatorGroupPtr(std::move(synced)), 27);
  EXPECT_EQ(changes(), ++before);
  EXPECT_TRUE(writer_.Snapshot()->GroupIn("ops")->group->synced.has_value());
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops")->targets.count, 1u);
  writer_.Put(Ns("u", {{"x", ""}}), 28);
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops")->targets.count, 2u) << "it goes on selecting";
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("u"), ElementsAre("ops"));
}

TEST_F(WorldWriterTest, EveryVisibleChangeMovesTheNumberUp) {
  Sync();
  std::string last = Text();
  // Streams lag differently, so these revisions are below another source's.
  writer_.Put(Ns("a"), 1000);
  for (int i = 0; i < 250; ++i) {
    writer_.Put(Csv("ops", "c" + std::to_string(i)), 20 + i);
    const std::string next = Text();
    EXPECT_TRUE(kube::CompareResourceVersions(last, next) < 0) << last << " " << next;
    last = next;
  }
}

TEST_F(WorldWriterTest, SnapshotsStayAsTheyWere) {
  Sync();
  writer_.Put(Csv("ops", "a"), 20);
  const OperatorWorldPtr before = writer_.Snapshot();
  writer_.Remove(kCsvSource, {"ops", "a"}, 21);
  EXPECT_NE(before->csvs().Find({"ops", "a"}), nullptr);
  EXPECT_EQ(writer_.Snapshot()->csvs().Find({"ops", "a"}), nullptr);
}

TEST_F(WorldWriterTest, ListGroup) {
  Sync();
  writer_.Put(Group("ops", "g", {"b", "a", "b", "unborn"}), 20);
  const OperatorWorldPtr world = writer_.Snapshot();
  EXPECT_THAT(world->InstallsTargeting("a"), ElementsAre("ops"));
  EXPECT_THAT(world->InstallsTargeting("unborn"), ElementsAre("ops"));
  EXPECT_THAT(world->InstallsTargeting("c"), IsEmpty());
  ASSERT_NE(world->GroupIn("ops"), nullptr);
  EXPECT_EQ(world->GroupIn("ops")->targets.count, 3u);
  EXPECT_FALSE(world->GroupIn("ops")->targets.includes_own);
}

TEST_F(WorldWriterTest, GlobalGroup) {
  Sync();
  writer_.Put(Group("ops", "g", {}), 20);
  EXPECT_THAT(writer_.Snapshot()->global_installs(), ElementsAre("ops"));
  EXPECT_TRUE(writer_.Snapshot()->GroupIn("ops")->targets.includes_own);
  writer_.Put(Group("ops", "g", {"a"}), 21);
  EXPECT_THAT(writer_.Snapshot()->global_installs(), IsEmpty());
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), ElementsAre("ops"));
  writer_.Remove(kOperatorGroupSource, {"ops", "g"}, 22);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), IsEmpty());
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops"), nullptr);
}

TEST_F(WorldWriterTest, SelectorGroupFollowsLabels) {
  Sync();
  writer_.Put(Ns("a", {{"team", "red"}}), 20);
  writer_.Put(Group("ops", "g", {}, "team=red"), 21);
  writer_.Put(Ns("b"), 22);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), ElementsAre("ops"));
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops")->targets.count, 1u);
  writer_.Put(Ns("b", {{"team", "red"}}), 23);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("b"), ElementsAre("ops"));
  writer_.Put(Ns("a", {{"team", "blue"}}), 24);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), IsEmpty());
  writer_.Put(Ns("ops", {{"team", "red"}}), 25);
  EXPECT_TRUE(writer_.Snapshot()->GroupIn("ops")->targets.includes_own);
  writer_.Remove(kNamespaceSource, {"", "b"}, 26);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("b"), IsEmpty());
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops")->targets.count, 1u);
}

TEST_F(WorldWriterTest, SeveralGroupsInANamespaceCancelEachOther) {
  Sync();
  writer_.Put(Group("ops", "g", {"a"}), 20);
  writer_.Put(Group("ops", "h", {}), 21);
  EXPECT_EQ(writer_.Snapshot()->GroupIn("ops"), nullptr);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), IsEmpty());
  EXPECT_THAT(writer_.Snapshot()->global_installs(), IsEmpty());
  writer_.Remove(kOperatorGroupSource, {"ops", "g"}, 22);
  EXPECT_THAT(writer_.Snapshot()->global_installs(), ElementsAre("ops"));
}

TEST_F(WorldWriterTest, ARelistDropsWhatIsGone) {
  Sync();
  writer_.Put(Ns("a", {{"team", "red"}}), 20);
  writer_.Put(Ns("b", {{"team", "red"}}), 21);
  writer_.Put(Group("ops", "g", {}, "team=red"), 22);
  writer_.Replace(std::vector<olm::NamespacePtr>{Ns("b", {{"team", "red"}}), Ns("c")}, 30);
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("a"), IsEmpty());
  EXPECT_THAT(writer_.Snapshot()->InstallsTargeting("b"), ElementsAre("ops"));
  EXPECT_EQ(writer_.Snapshot()->namespaces().size(), 2u);
  EXPECT_EQ(Version().components[2], 30u);
  const std::string number = Text();
  writer_.Replace(std::vector<olm::NamespacePtr>{Ns("b", {{"team", "red"}}), Ns("c")}, 40);
  EXPECT_EQ(Text(), number);
  EXPECT_EQ(writer_.Snapshot()->source(kNamespaceSource).seen(), 40u);
}

TEST_F(WorldWriterTest, AnAbsentKindIsEmpty) {
  Sync();
  writer_.Put(Csv("ops", "a"), 20);
  writer_.ReplaceAbsent(kCsvSource);
  EXPECT_TRUE(writer_.Snapshot()->csvs().empty());
  EXPECT_TRUE(writer_.Snapshot()->synced());
  EXPECT_TRUE(writer_.Snapshot()->source(kCsvSource).absent);
  EXPECT_FALSE(writer_.Snapshot()->source(kOperatorGroupSource).absent);
  writer_.Replace(std::vector<olm::CsvPtr>{}, 30);
  EXPECT_FALSE(writer_.Snapshot()->source(kCsvSource).absent);
}

// Otherwise the component of an absent kind would fall so far behind the clock that a number cannot
// express it.
TEST_F(WorldWriterTest, AnAbsentKindKeepsUpWithTheOthers) {
  writer_.Replace(std::vector<olm::NamespacePtr>{}, 12);
  writer_.ReplaceAbsent(kCsvSource);
  writer_.ReplaceAbsent(kOperatorGroupSource);
  writer_.Put(Ns("a"), 20'000'000);
  EXPECT_EQ(Version().components[0], 20'000'000u);
  EXPECT_EQ(writer_.Snapshot()->Knows({20'000'000, 20'000'000, 20'000'000}), Knowledge::kKnown);
}

TEST_F(WorldWriterTest, ARestoredEtcdIsAnother) {
  Sync();
  writer_.Put(Ns("a"), 1000);
  const StateVector before = writer_.Snapshot()->Vector();
  const uint64_t epoch = writer_.Snapshot()->epoch();
  writer_.Replace(std::vector<olm::NamespacePtr>{Ns("b")}, 500);
  EXPECT_NE(writer_.Snapshot()->epoch(), epoch);
  EXPECT_EQ(writer_.Snapshot()->Knows(before), Knowledge::kNotYet);
  EXPECT_EQ(writer_.Snapshot()->source(kNamespaceSource).component, 500u);
}

// After any history, the index kept by deltas equals one computed afresh.
TEST_F(WorldWriterTest, TheIndexIsWhatTheRulesSay) {
  std::mt19937 random(11);
  const auto pick = [&random](int n) { return static_cast<int>(random() % n); };
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const auto name = [&] { return names[pick(5)]; };
  Sync();
  uint64_t revision = 100;
  for (int step = 0; step < 3000; ++step) {
    ++revision;
    switch (pick(6)) {
      case 0:
        writer_.Put(Ns(name(), pick(2) ? kube::LabelMap{{"team", pick(2) ? "red" : "blue"}}
                                       : kube::LabelMap{}),
                    revision);
        break;
      case 1:
        writer_.Remove(kNamespaceSource, {"", name()}, revision);
        break;
      case 2:
        writer_.Put(Group(name(), pick(2) ? "g" : "h", {name(), name()}), revision);
        break;
      case 3: {
        const olm::OperatorGroupPtr group = Group(name(), "g", {}, pick(2) ? "team=red" : "!team");
        // A field that only cleanup reads is no part of the spec.
        auto deleting = std::make_shared<olm::OperatorGroup>(*group);
        deleting->deleting = pick(2) == 0;
        writer_.Put(olm::OperatorGroupPtr(std::move(deleting)), revision);
        break;
      }
      case 4:
        writer_.Put(Group(name(), "g", {}), revision);
        break;
      case 5:
        writer_.Remove(kOperatorGroupSource, {name(), pick(2) ? "g" : "h"}, revision);
        break;
    }
    const OperatorWorldPtr world = writer_.Snapshot();
    std::map<std::string, std::vector<olm::OperatorGroupPtr>> groups;
    for (auto it = world->operator_groups().begin(); !it.done(); it.Next()) {
      groups[it.key().ns].push_back(it.value());
    }
    for (const std::string& install : names) {
      const bool in_force = groups[install].size() == 1;
      ASSERT_EQ(world->GroupIn(install) != nullptr, in_force);
      if (!in_force) continue;
      const olm::OperatorGroup& group = *groups[install].front();
      const bool all = olm::KindOfTargets(group) == olm::TargetKind::kAll;
      EXPECT_EQ(world->GroupIn(install)->targets.all, all);
      size_t matched = 0;
      for (auto it = world->namespaces().begin(); !it.done(); it.Next()) {
        const bool targeted = olm::Targets(group, it.key(), it.value()->labels);
        matched += targeted;
        const auto& installs = all ? world->global_installs() : world->InstallsTargeting(it.key());
        EXPECT_EQ(std::count(installs.begin(), installs.end(), install), targeted ? 1 : 0);
      }
      if (olm::KindOfTargets(group) == olm::TargetKind::kSelector) {
        EXPECT_EQ(world->GroupIn(install)->targets.count, matched);
      }
    }
    for (const std::string& install : world->global_installs()) {
      EXPECT_TRUE(world->GroupIn(install) != nullptr && world->GroupIn(install)->targets.all);
    }
  }
}

}  // namespace
}  // namespace steward::storage

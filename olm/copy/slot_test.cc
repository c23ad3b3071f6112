#include "olm/copy/slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/selector.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Given {
  const char* ns = "ops";
  const char* phase = "Succeeded";
  const char* reason = "InstallSucceeded";
  const char* created = "2026-01-01T00:00:00Z";
  bool deleting = false;
  bool copied = false;
};

CsvPtr Make(const Given& given) {
  auto csv = std::make_shared<Csv>();
  csv->key = {given.ns, "etcd.v1"};
  csv->uid = given.ns;
  csv->phase = given.phase;
  csv->reason = given.reason;
  csv->created = given.created;
  csv->copied = given.copied;
  auto cleanup = std::make_shared<CsvCleanup>();
  if (given.deleting) cleanup->facts.deletion_timestamp = "2026-02-01T00:00:00Z";
  csv->cleanup = std::move(cleanup);
  return csv;
}

OperatorGroup GroupOf(std::vector<std::string> targets) {
  OperatorGroup group;
  group.target_namespaces = std::move(targets);
  return group;
}

Namespace Red() {
  Namespace ns;
  ns.name = "red";
  ns.labels = {{"team", "x"}};
  return ns;
}

TEST(SlotTest, Claims) {
  const OperatorGroup all = GroupOf({});
  const OperatorGroup red = GroupOf({"red"});
  const OperatorGroup blue = GroupOf({"blue"});
  OperatorGroup team = GroupOf({});
  team.selector = *kube::LabelSelector::Parse("team=x");
  OperatorGroup others = GroupOf({});
  others.selector = *kube::LabelSelector::Parse("team=y");
  OperatorGroup invalid = GroupOf({"red"});
  invalid.invalid = "no";
  OperatorGroup unreadable = GroupOf({});
  unreadable.unreadable = "spec is no object";
  struct Row {
    const char* name;
    Given given;
    const OperatorGroup* group;
    Claim claim;
  };
  const Row rows[] = {
      {"all namespaces", {}, &all, Claim::kWants},
      {"listed", {}, &red, Claim::kWants},
      {"not listed", {}, &blue, Claim::kNone},
      {"selected", {}, &team, Claim::kWants},
      {"not selected", {}, &others, Claim::kNone},
      {"its own namespace", {.ns = "red"}, &all, Claim::kNone},
      {"a copy itself", {.copied = true}, &all, Claim::kNone},
      {"no group, or several", {}, nullptr, Claim::kLeaves},
      {"an invalid group", {}, &invalid, Claim::kLeaves},
      {"a group that cannot be read", {}, &unreadable, Claim::kLeaves},
      {"pending", {.phase = "Pending", .reason = "RequirementsNotMet"}, &all, Claim::kWants},
      {"failed", {.phase = "Failed", .reason = "ComponentUnhealthy"}, &all, Claim::kWants},
      {"replaced", {.phase = "Replacing", .reason = "BeingReplaced"}, &all, Claim::kWants},
      {"no phase", {.phase = "", .reason = ""}, &all, Claim::kLeaves},
      {"no phase, not targeted", {.phase = "", .reason = ""}, &blue, Claim::kNone},
      {"uncopiable", {.phase = "Failed", .reason = "TooManyOperatorGroups"}, &all, Claim::kLeaves},
      {"uncopiable after the group shrank",
       {.phase = "Failed", .reason = "UnsupportedOperatorGroup"},
       &blue,
       Claim::kNone},
      {"lost its APIs",
       {.phase = "Failed", .reason = "InterOperatorGroupOwnerConflict"},
       &all,
       Claim::kNone},
      {"being deleted", {.deleting = true}, &all, Claim::kHolds},
      {"being deleted, not targeted", {.deleting = true}, &blue, Claim::kLeaves},
      {"being deleted, without group", {.deleting = true}, nullptr, Claim::kLeaves},
  };
  for (const Row& row : rows) {
    const CsvPtr csv = Make(row.given);
    EXPECT_EQ(ClaimOn({csv.get(), row.group}, Red(), {}), row.claim) << row.name;
  }
}

TEST(SlotTest, R_004_07_ThePolicyDecidesForAllNamespacesOnly) {
  using Global = CopyPolicy::Global;
  const OperatorGroup all = GroupOf({});
  const OperatorGroup red = GroupOf({"red"});
  OperatorGroup team = GroupOf({});
  team.selector = *kube::LabelSelector::Parse("team=x");
  struct Row {
    const char* name;
    Given given;
    const OperatorGroup* group;
    Global global;
    bool is_protected;
    Claim claim;
  };
  const Row rows[] = {
      {"off", {}, &all, Global::kNotCopied, false, Claim::kNone},
      {"R-004-48: off, but protected", {}, &all, Global::kNotCopied, true, Claim::kWants},
      {"R-004-28: off, listed", {}, &red, Global::kNotCopied, false, Claim::kWants},
      {"R-004-28: off, selected", {}, &team, Global::kNotCopied, false, Claim::kWants},
      {"off, its own namespace", {.ns = "red"}, &all, Global::kNotCopied, true, Claim::kNone},
      {"off, uncopiable",
       {.phase = "Failed", .reason = "TooManyOperatorGroups"},
       &all,
       Global::kNotCopied,
       false,
       Claim::kNone},
      {"off, being deleted", {.deleting = true}, &all, Global::kNotCopied, false, Claim::kLeaves},
      {"off, no group", {}, nullptr, Global::kNotCopied, false, Claim::kLeaves},
      {"unknown", {}, &all, Global::kUnknown, false, Claim::kLeaves},
      {"unknown, but protected", {}, &all, Global::kUnknown, true, Claim::kWants},
      {"unknown, listed", {}, &red, Global::kUnknown, false, Claim::kWants},
      {"unknown, lost its APIs",
       {.phase = "Failed", .reason = "InterOperatorGroupOwnerConflict"},
       &all,
       Global::kUnknown,
       false,
       Claim::kLeaves},
      {"on, protected", {}, &all, Global::kCopied, true, Claim::kWants},
  };
  for (const Row& row : rows) {
    const CsvPtr csv = Make(row.given);
    CopyPolicy policy;
    policy.global = row.global;
    if (row.is_protected) policy.protected_namespaces.insert("red");
    EXPECT_EQ(ClaimOn({csv.get(), row.group}, Red(), policy), row.claim) << row.name;
  }
}

class SlotOfTwo : public ::testing::Test {
 protected:
  static Slot In(const Namespace& ns, const std::vector<CsvPtr>& csvs,
                 const SlotContent& content = {}) {
    static const OperatorGroup& all = *new OperatorGroup;
    std::vector<Original> originals;
    for (const CsvPtr& csv : csvs) originals.push_back({csv.get(), &all});
    return SlotIn(ns, originals, content, {});
  }
  const CsvPtr old_ = Make({.ns = "a"});
  const CsvPtr young_ = Make({.ns = "b", .created = "2026-01-02T00:00:00Z"});
};

TEST_F(SlotOfTwo, NobodyMeansEmpty) { EXPECT_EQ(In(Red(), {}).kind, Slot::Kind::kEmpty); }

TEST_F(SlotOfTwo, TheOlderWins) {
  for (const std::vector<CsvPtr>& csvs : {std::vector{old_, young_}, std::vector{young_, old_}}) {
    const Slot slot = In(Red(), csvs);
    EXPECT_EQ(slot.kind, Slot::Kind::kCopy);
    EXPECT_EQ(slot.source, old_.get());
    EXPECT_THAT(slot.refused, ElementsAre(young_.get()));
  }
}

TEST_F(SlotOfTwo, ATerminatingNamespaceStaysAsItIs) {
  Namespace ns = Red();
  ns.terminating = true;
  EXPECT_EQ(In(ns, {old_}).kind, Slot::Kind::kAsIs);
  EXPECT_EQ(In(ns, {}).kind, Slot::Kind::kAsIs);
}

TEST_F(SlotOfTwo, ATakenSlotStaysAsItIs) {
  const Slot slot = In(Red(), {old_, young_}, {.taken = true});
  EXPECT_EQ(slot.kind, Slot::Kind::kAsIs);
  EXPECT_THAT(slot.refused, ElementsAre(old_.get(), young_.get()));
  EXPECT_EQ(In(Red(), {}, {.taken = true}).kind, Slot::Kind::kAsIs);
}

TEST_F(SlotOfTwo, TheCopiesOfTheWinnerStayWhileItIsDeleted) {
  const CsvPtr going = Make({.ns = "a", .deleting = true});
  const Slot held = In(Red(), {going, young_}, {.copy_of = going.get()});
  EXPECT_EQ(held.kind, Slot::Kind::kAsIs);
  EXPECT_THAT(held.refused, ElementsAre(young_.get()));
  const CsvPtr later = Make({.ns = "c", .created = "2026-01-03T00:00:00Z", .deleting = true});
  EXPECT_EQ(In(Red(), {later, young_}).source, young_.get());
}

TEST_F(SlotOfTwo, WhoKnowsNothingKeepsNobodyOut) {
  const CsvPtr unknown = Make({.ns = "a", .phase = "Failed", .reason = "NoOperatorGroup"});
  const Slot slot = In(Red(), {unknown, young_});
  EXPECT_EQ(slot.source, young_.get());
  EXPECT_THAT(slot.refused, IsEmpty());
  EXPECT_EQ(In(Red(), {unknown}, {.copy_of = unknown.get()}).kind, Slot::Kind::kAsIs);
}

TEST(SlotTest, R_004_17_TheFateOfACopyIsThatOfItsOwnOriginal) {
  const OperatorGroup all = GroupOf({});
  const OperatorGroup red = GroupOf({"red"});
  const OperatorGroup blue = GroupOf({"blue"});
  const CsvPtr own = Make({.ns = "own"});
  const CsvPtr going = Make({.ns = "own", .deleting = true});
  const CsvPtr namesake = Make({.ns = "tenant"});
  CopyPolicy off;
  off.global = CopyPolicy::Global::kNotCopied;
  struct Row {
    const char* name;
    std::vector<Original> originals;
    const Csv* copy_of;
    CopyPolicy policy;
    Slot::Kind want;
  };
  for (const Row& row : {
           Row{"a namesake without group keeps no copy of an original that is gone",
               {{namesake.get(), nullptr}},
               nullptr,
               {},
               Slot::Kind::kEmpty},
           Row{"nor one that is turned off",
               {{own.get(), &all}, {namesake.get(), nullptr}},
               own.get(),
               off,
               Slot::Kind::kEmpty},
           Row{"nor one that the group no longer targets",
               {{own.get(), &blue}, {namesake.get(), nullptr}},
               own.get(),
               {},
               Slot::Kind::kEmpty},
           Row{"a namesake that is being deleted keeps its own alone",
               {{going.get(), &red}, {namesake.get(), &blue}},
               namesake.get(),
               {},
               Slot::Kind::kEmpty},
           Row{"an original without group keeps its own copy",
               {{own.get(), nullptr}, {namesake.get(), nullptr}},
               own.get(),
               {},
               Slot::Kind::kAsIs},
           Row{"also when copies are off",
               {{own.get(), nullptr}},
               own.get(),
               off,
               Slot::Kind::kAsIs},
       }) {
    EXPECT_EQ(SlotIn(Red(), row.originals, {.copy_of = row.copy_of}, row.policy).kind, row.want)
        << row.name;
  }
}

TEST(SlotTest, CopiesThatStayAlthoughTheyAreTurnedOff) {
  const OperatorGroup all = GroupOf({});
  const OperatorGroup red = GroupOf({"red"});
  OperatorGroup invalid = GroupOf({"red"});
  invalid.invalid = "no";
  CopyPolicy off;
  off.global = CopyPolicy::Global::kNotCopied;
  CopyPolicy shielded = off;
  shielded.protected_namespaces.insert("red");
  struct Row {
    const char* name;
    Given given;
    const OperatorGroup* group;
    CopyPolicy policy;
    bool stays;
  };
  for (const Row& row : {
           Row{"no group", {}, nullptr, off, true},
           Row{"an invalid one", {}, &invalid, off, true},
           Row{"for all namespaces, being deleted", {.deleting = true}, &all, off, true},
           Row{"for all namespaces", {}, &all, off, false},
           Row{"for one, being deleted", {.deleting = true}, &red, off, false},
           Row{"a protected namespace", {}, nullptr, shielded, false},
           Row{"copies are on", {}, nullptr, {}, false},
       }) {
    const CsvPtr csv = Make(row.given);
    EXPECT_EQ(StaysTurnedOff({csv.get(), row.group}, Red(), row.policy), row.stays) << row.name;
  }
}

}  // namespace
}  // namespace steward::olm

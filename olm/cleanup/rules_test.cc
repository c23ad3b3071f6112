// Tests of records, plans, steps, holds and status messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/test_inputs.h"
#include "olm/cleanup/waiting.h"
#include "olm/csv_facts.h"

namespace steward::olm {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = CleanupVerdictKind;

TEST(RecordTest, RoundTrip) {
  for (const TargetSet& targets : {TargetSet(), TargetSet::All(), TargetSet::Of({"b", "a"})}) {
    const CleanupRecord record{targets,
                               "u1",
                               "u2",
                               {{"things.example.com", {"u3", "Thing", {"v1", "v2"}}},
                                {"ws.example.com", {"u4", "", {}}}}};
    const absl::StatusOr<CleanupRecord> decoded = DecodeRecord(EncodeRecord(record));
    ASSERT_OK(decoded.status());
    EXPECT_EQ(*decoded, record);
  }
}

TEST(RecordTest, AnythingElseIsNone) {
  for (
      const char* text :
      {"",
       "null",
       "[]",
       "{}",
       R"({"targets":"*","csvUID":"a"})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b"})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b","definitions":[]})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b","definitions":{"x":"u"}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b","definitions":{"x.io":""}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b","definitions":{"x.io":7}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b",)"
       R"("definitions":{"x.io":{"uid":"u","kind":"K","versions":[]}}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b",)"
       R"("definitions":{"x.io":{"uid":"u","kind":"","versions":["v1"]}}})",
       R"({"targets":"all","csvUID":"a","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":[""],"csvUID":"a","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":["*"],"csvUID":"a","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":["a",1],"csvUID":"a","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":null,"csvUID":"a","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":"*","csvUID":"","operatorGroupUID":"b","definitions":{}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":7,"definitions":{}})",
       R"({"targets":"*","csvUID":"a","operatorGroupUID":"b","more":1,"definitions":{}})",
       R"({"targets":["a"],"targets":"*","csvUID":"a","operatorGroupUID":"b","definitions":{}})"}) {
    EXPECT_FALSE(DecodeRecord(text).ok()) << text;
  }
}

TEST(TargetSetTest, AllIsMoreThanEveryList) {
  const TargetSet list = TargetSet::Of({"a", ""});
  EXPECT_FALSE(list.Contains(""));
  EXPECT_TRUE(TargetSet::All().Contains(""));
  EXPECT_TRUE(list.IsSubsetOf(TargetSet::All()));
  EXPECT_FALSE(TargetSet::All().IsSubsetOf(list));
  EXPECT_TRUE(TargetSet().IsSubsetOf(list));
  EXPECT_TRUE(TargetSet().empty());
  EXPECT_FALSE(TargetSet::All().empty());
}

TEST(RecordTest, IntersectKeepsWhatBothHave) {
  const CleanupRecord a{
      TargetSet::All(), "u1", "u2", {{"a.io", {"1", "", {}}}, {"b.io", {"2", "", {}}}}};
  const CleanupRecord b{
      TargetSet::Of({"x"}), "u1", "u2", {{"b.io", {"2", "", {}}}, {"a.io", {"other", "", {}}}}};
  const CleanupRecord both = a.Intersect(b);
  EXPECT_EQ(both.targets, TargetSet::Of({"x"}));
  EXPECT_EQ(both.definitions, (std::map<std::string, RecordedDefinition>{{"b.io", {"2", "", {}}}}));
}

// The operator owns gadgets, which are cluster-scoped, and widgets.
CleanupInputs PlanInputs() {
  CleanupInputs inputs = AllowedInputs();
  inputs.crds["gadgets.example.com"]->cluster_scoped = true;
  return inputs;
}
std::string RecordWith(std::map<std::string, RecordedDefinition> definitions) {
  return EncodeRecord({TargetSet::All(), "csv-uid", "group-uid", std::move(definitions)});
}

TEST(PlanTest, ClusterScopedOnlyWithAll) {
  std::vector<CrdPlan> plans =
      PlanCleanup(PlanInputs(), TargetSet::Of({"a"}), TargetSet::Of({"a", "b"}));
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].kept, kClusterScoped);
  EXPECT_EQ(FateOf(plans[0], "", false), OperandFate::kKeep);
  EXPECT_EQ(FateOf(plans[0], "", true), OperandFate::kKeep);
  EXPECT_EQ(plans[1].kept, "");
  EXPECT_EQ(FateOf(plans[1], "a", false), OperandFate::kDelete);
  EXPECT_EQ(FateOf(plans[1], "a", true), OperandFate::kWait);
  EXPECT_EQ(FateOf(plans[1], "b", false), OperandFate::kKeep);
  EXPECT_EQ(FateOf(plans[1], "b", true), OperandFate::kWait);
  EXPECT_EQ(FateOf(plans[1], "c", false), OperandFate::kKeep);
  EXPECT_EQ(FateOf(plans[1], "c", true), OperandFate::kKeep);

  plans = PlanCleanup(PlanInputs(), TargetSet::All(), TargetSet::All());
  EXPECT_EQ(plans[0].kept, "");
  EXPECT_EQ(FateOf(plans[0], "", false), OperandFate::kDelete);
  EXPECT_EQ(FateOf(plans[1], "anywhere", false), OperandFate::kDelete);

  // CRs that were deleted while the targets were the whole cluster are waited for.
  plans = PlanCleanup(PlanInputs(), TargetSet::Of({"a"}), TargetSet::All());
  EXPECT_EQ(FateOf(plans[0], "", false), OperandFate::kKeep);
  EXPECT_EQ(FateOf(plans[0], "", true), OperandFate::kWait);
}

struct PlanCase {
  const char* name;
  std::function<void(CleanupInputs&)> change;
  std::string_view kept;  // of widgets
  bool waited_for;        // those that are being deleted
};
class PlanOfWidgetsTest : public ::testing::TestWithParam<PlanCase> {};
TEST_P(PlanOfWidgetsTest, KeptOrDeleted) {
  CleanupInputs inputs = AllowedInputs();
  GetParam().change(inputs);
  const std::vector<CrdPlan> plans = PlanCleanup(inputs, TargetSet::All(), TargetSet::All());
  ASSERT_EQ(plans.size(), 2u);
  const CrdPlan& widgets = plans[1];
  EXPECT_EQ(widgets.kept, GetParam().kept);
  EXPECT_EQ(FateOf(widgets, "a", false),
            GetParam().kept.empty() ? OperandFate::kDelete : OperandFate::kKeep);
  EXPECT_EQ(FateOf(widgets, "a", true),
            GetParam().waited_for ? OperandFate::kWait : OperandFate::kKeep);
}
const RecordedDefinition kWidgets{"uid-of-widgets", "", {}};
INSTANTIATE_TEST_SUITE_P(
    All, PlanOfWidgetsTest,
    ::testing::Values(
        PlanCase{"BeforeTheRecord", [](auto&) {}, "", true},
        PlanCase{"Recorded",
                 [](auto& in) {
                   in.csv->record = RecordWith({{"widgets.example.com", kWidgets}});
                 },
                 "", true},
        PlanCase{
            "R_000_62_NotRecorded",
            [](auto& in) {
              in.csv->record = RecordWith({{"gadgets.example.com", {"uid-of-gadgets", "", {}}}});
            },
            kNotRecorded, false},
        PlanCase{"R_000_62_AnotherObjectOfThatName",
                 [](auto& in) {
                   in.csv->record = RecordWith({{"widgets.example.com", {"older", "", {}}}});
                 },
                 kNotRecorded, false},
        PlanCase{"R_000_62_NoLongerOwned",
                 [](auto& in) {
                   in.csv->record = RecordWith({{"widgets.example.com", kWidgets}});
                   in.csv->owned_crds = {"gadgets.example.com"};
                 },
                 kNoLongerOwned, true},
        PlanCase{"AddedToTheRecordAndNotRemembered",
                 [](auto& in) {
                   in.csv->record = RecordWith({{"widgets.example.com", kWidgets}});
                   in.remembered = CleanupRecord{TargetSet::All(), "csv-uid", "group-uid", {}};
                 },
                 kNotRecorded, false},
        PlanCase{"TakenFromTheRecordAndRemembered",
                 [](auto& in) {
                   in.csv->record = RecordWith({});
                   in.remembered = CleanupRecord{TargetSet::All(),
                                                 "csv-uid",
                                                 "group-uid",
                                                 {{"widgets.example.com", kWidgets}}};
                 },
                 kNotRecorded, true},
        PlanCase{"R_000_79_NotInstalledByOlm",
                 [](auto& in) { in.crds["widgets.example.com"]->kept = kUnmanaged; }, kUnmanaged,
                 true},
        PlanCase{"R_000_79_ReservedGroup",
                 [](auto& in) { in.crds["widgets.example.com"]->kept = kReservedGroup; },
                 kReservedGroup, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanTest, WhatIsKeptIsNotRecorded) {
  CleanupInputs inputs = AllowedInputs();
  inputs.crds["gadgets.example.com"]->kept = kUnmanaged;
  const Verdict verdict = CleanupVerdict(inputs);
  ASSERT_TRUE(verdict.to_record.has_value());
  EXPECT_EQ(verdict.to_record->definitions,
            (std::map<std::string, RecordedDefinition>{{"widgets.example.com", kWidgets}}));
}

TEST(PlanTest, States) {
  CleanupInputs inputs = AllowedInputs();
  auto& crds = inputs.crds;
  const auto state = [&inputs] { return PlanCleanup(inputs, TargetSet(), TargetSet())[1].state; };
  EXPECT_EQ(state(), CrdState::kServed);
  crds["widgets.example.com"]->established = false;
  EXPECT_EQ(state(), CrdState::kNotEstablished);
  crds["widgets.example.com"]->terminating = true;
  EXPECT_EQ(state(), CrdState::kTerminating);
  crds["widgets.example.com"] = Read<CrdFacts>::Absent();
  EXPECT_EQ(state(), CrdState::kGone);
  crds["widgets.example.com"] = Read<CrdFacts>::Unreadable("429");
  EXPECT_EQ(state(), CrdState::kUnreadable);
  crds.clear();
  EXPECT_EQ(state(), CrdState::kUnreadable);
}

struct StepCase {
  const char* name;
  Kind verdict;
  bool recorded;
  int pending;  // -1 = unreadable
  int holds;
  CleanupStep want;
  bool refused_before = true;
  std::string released = "";  // the annotation; "" = it is not there
  bool nobody_can_finish = false;
  bool may_arrive = false;
};
class StepTest : public ::testing::TestWithParam<StepCase> {};
Read<size_t> Number(int n) {
  return n < 0 ? Read<size_t>::Unreadable("x") : Read<size_t>::Ok(static_cast<size_t>(n));
}
TEST_P(StepTest, Next) {
  const StepCase& c = GetParam();
  StepInputs inputs;
  inputs.verdict = c.verdict;
  inputs.recorded = inputs.may_have_sent = c.recorded;
  inputs.pending = Number(c.pending);
  inputs.holds = Number(c.holds);
  inputs.refused_before = c.refused_before;
  inputs.nobody_can_finish = c.nobody_can_finish;
  inputs.may_arrive = c.may_arrive;
  CsvFacts csv = TestCsv();
  if (!c.released.empty()) csv.rights_released = c.released;
  EXPECT_EQ(ToString(NextCleanupStep(csv, inputs)), ToString(c.want));
}
const StepCase kSteps[] = {
    {"Unknown", Kind::kUnknown, true, 0, 0, CleanupStep::kRetry},
    {"RecordFirst", Kind::kAllowed, false, 3, 0, CleanupStep::kRecord},
    {"RecordEvenWhenNothingIsThere", Kind::kAllowed, false, 0, 0, CleanupStep::kRecord},
    {"Delete", Kind::kAllowed, true, 3, 2, CleanupStep::kDelete},
    {"NotListed", Kind::kAllowed, true, -1, 0, CleanupStep::kRetry},
    {"Rights", Kind::kAllowed, true, 0, 2, CleanupStep::kReleaseRights},
    {"RightsNotListed", Kind::kAllowed, true, 0, -1, CleanupStep::kRetry},
    {"Done", Kind::kAllowed, true, 0, 0, CleanupStep::kReleaseFinalizer},
    {"R_000_86_RefusedAndNothingSent", Kind::kRefused, false, -1, 0,
     CleanupStep::kReleaseFinalizer},
    {"R_000_86_EvenWhenRightsCannotBeListed", Kind::kRefused, false, -1, -1,
     CleanupStep::kReleaseFinalizer},
    {"RefusedWithRights", Kind::kRefused, false, 0, 1, CleanupStep::kReleaseRights},
    {"RefusedAndBegun", Kind::kRefused, true, 1, 1, CleanupStep::kDrain},
    {"RefusedAndNotListed", Kind::kRefused, true, -1, 1, CleanupStep::kRetry},
    {"RefusedAndRightsNotListed", Kind::kRefused, true, 0, -1, CleanupStep::kRetry},
    {"R_000_89_RefusedForTheFirstTime", Kind::kRefused, false, 0, 1, CleanupStep::kConfirm, false},
    {"R_000_89_RefusedForTheFirstTimeWithoutRights", Kind::kRefused, false, 0, 0,
     CleanupStep::kConfirm, false},
    {"R_000_89_DrainedForTheFirstTime", Kind::kRefused, true, 0, 1, CleanupStep::kConfirm, false},
    {"R_000_89_DrainsMeanwhile", Kind::kRefused, true, 1, 1, CleanupStep::kDrain, false},
    {"R_000_89_NothingAfterTheRights", Kind::kAllowed, true, 3, 0, CleanupStep::kReleaseFinalizer,
     false, "Completed"},
    {"R_000_89_WhateverCanBeRead", Kind::kUnknown, true, -1, 1, CleanupStep::kReleaseRights, false,
     "Refused: x"},
    {"R_000_89_ConfirmedThatTheyAreGone", Kind::kUnknown, true, -1, -1, CleanupStep::kRetry, false,
     "Refused: x"},
    {"R_000_86_NobodyCanFinish", Kind::kRefused, true, 5, 1, CleanupStep::kReleaseRights, true, "",
     true},
    {"R_000_86_NobodyCanFinishAndItIsConfirmed", Kind::kRefused, true, 5, 1, CleanupStep::kConfirm,
     false, "", true},
    {"R_000_78_WhatMayArriveIsWaitedFor", Kind::kRefused, true, 0, 1, CleanupStep::kSettle, true,
     "", false, true},
    {"R_000_78_AlsoWhereItIsAllowed", Kind::kAllowed, true, 0, 1, CleanupStep::kSettle, true, "",
     false, true},
    {"R_000_78_WhatArrivedIsFinished", Kind::kRefused, true, 1, 1, CleanupStep::kDrain, true, "",
     false, true},
    {"R_000_78_NothingWasSent", Kind::kRefused, false, 0, 1, CleanupStep::kReleaseRights, true, "",
     false, true},
    {"R_000_78_NobodyWouldFinishIt", Kind::kRefused, true, 0, 1, CleanupStep::kReleaseRights, true,
     "", true, true},
    {"R_000_78_TheRightsAreGone", Kind::kRefused, true, 0, 1, CleanupStep::kReleaseRights, true,
     "Refused: x", false, true},
    {"R_000_86_AllowedStillDeletes", Kind::kAllowed, true, 5, 1, CleanupStep::kDelete, true, "",
     true},
};
INSTANTIATE_TEST_SUITE_P(All, StepTest, ::testing::ValuesIn(kSteps),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(StepTest, NotOurs) {
  StepInputs inputs;
  CsvFacts csv = TestCsv();
  csv.deletion_timestamp = "";
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kNothing);
  csv = TestCsv();
  csv.finalizers = {"operators.coreos.com/csv-cleanup"};
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kNothing);
}

// No annotation can say any more that the rights are released: the finalizer goes first, and the
// sweep releases them.
TEST(StepTest, R_000_62_WithoutRoomForAMarkTheFinalizerGoesFirst) {
  CsvFacts csv = TestCsv();
  StepInputs inputs;
  inputs.verdict = Kind::kRefused;
  inputs.may_have_sent = false;
  inputs.holds = Read<size_t>::Ok(1);
  csv.other_annotations = kMaxAnnotationBytes - kMarkBytes + 1;
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kConfirm);
  inputs.refused_before = true;
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kReleaseFinalizer);
  // Nothing is given away where the operator may have to finish something, or a mark fits.
  inputs.may_have_sent = true;
  inputs.pending = Read<size_t>::Ok(0);
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kReleaseRights);
  inputs.may_have_sent = false;
  --csv.other_annotations;
  EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kReleaseRights);
}

// R-000-42 holds for every verdict and every number of pending operands.
TEST(StepTest, AbortIsAtOnce) {
  CsvFacts csv = TestCsv();
  csv.cleanup_enabled = false;
  for (const Kind kind : {Kind::kAllowed, Kind::kRefused, Kind::kUnknown}) {
    StepInputs inputs;
    inputs.verdict = kind;
    inputs.pending = Read<size_t>::Ok(5);
    inputs.holds = Read<size_t>::Ok(5);
    EXPECT_EQ(NextCleanupStep(csv, inputs), CleanupStep::kAbort);
  }
}

TEST(StepTest, FinalizersWithout) {
  EXPECT_THAT(FinalizersWithout({"a", "b", "c", "b"}, {"b"}), ElementsAre("a", "c"));
  EXPECT_THAT(FinalizersWithout({"b"}, {"b", "x"}), IsEmpty());
}

TEST(StatusTest, PendingDeletionIsGroupedAndSorted) {
  EXPECT_EQ(Serialize(PendingDeletion({{"g", "Widget", "b", "x"},
                                       {"g", "Gadget", "", "one"},
                                       {"g", "Widget", "a", "y"},
                                       {"f", "Widget", "a", "y"}})),
            R"([{"group":"f","kind":"Widget","instances":[{"name":"y","namespace":"a"}]},)"
            R"({"group":"g","kind":"Gadget","instances":[{"name":"one"}]},)"
            R"({"group":"g","kind":"Widget","instances":[{"name":"y","namespace":"a"},)"
            R"({"name":"x","namespace":"b"}]}])");
  EXPECT_EQ(Serialize(PendingDeletion({})), "[]");
}

TEST(StatusTest, PendingDeletionIsBounded) {
  std::vector<PendingOperand> operands;
  for (int i = 0; i < 250; ++i) {
    operands.push_back({"g", i % 2 == 0 ? "Widget" : "Gadget", "ns", "n" + std::to_string(i)});
  }
  size_t instances = 0;
  for (const json::value& group : PendingDeletion(operands)) {
    instances += group.at("instances").as_array().size();
  }
  EXPECT_EQ(instances, kMaxPendingInstances);
}

TEST(StatusTest, WaitingMessage) {
  EXPECT_EQ(WaitingMessage(4), "waiting for operator to finish cleanup for 4 CRs");
  EXPECT_EQ(WaitingMessage(1), "waiting for operator to finish cleanup for 1 CR");
  EXPECT_EQ(WaitingMessage(1, 2),
            "waiting for operator to finish cleanup for 1 CR; definitions being deleted: 2");
  for (const size_t count : {0, 1, 2, 1000}) {
    EXPECT_EQ(CountIn(WaitingMessage(count)), count);
    EXPECT_EQ(CountIn(WaitingMessage(count, 7)), count);
  }
  for (const char* text : {"", "4", "waiting for operator to finish cleanup for 4",
                           "waiting for 4 CRs", "waiting for operator to finish cleanup for -4 CRs",
                           "waiting for operator to finish cleanup for 04 CRs",
                           "waiting for operator to finish cleanup for 1 CRs",
                           "waiting for operator to finish cleanup for 99999999999999999999 CRs"}) {
    EXPECT_EQ(CountIn(text), std::nullopt) << text;
  }
}

TEST(StatusTest, R_000_90_CountsWithoutNames) {
  const std::vector<PendingKind> kinds = {{"g", "Gadget", 1}, {"g", "Widget", 2}};
  EXPECT_EQ(Serialize(PendingDeletionByKind(kinds)),
            R"([{"group":"g","kind":"Gadget","instances":[]},)"
            R"({"group":"g","kind":"Widget","instances":[]}])");
  const std::string message = WaitingMessage(kinds, "there");
  EXPECT_EQ(message,
            "waiting for operator to finish cleanup for 3 CRs: 1 Gadget, 2 Widget; see there");
  EXPECT_EQ(CountIn(message), 3u);
  EXPECT_EQ(CountIn(StrCat(WaitingMessage(4), "; it reports: no")), 4u);
}

json::array Conditions(int count) {
  json::array conditions;
  for (int i = 0; i < count; ++i) {
    conditions.push_back(json::object{{"phase", "P"}, {"reason", "R" + std::to_string(i)}});
  }
  return conditions;
}

TEST(StatusTest, ConditionsOfOlmStay) {
  const CleanupCondition held{"Succeeded", std::string(kRightsHeld), "held"};
  const CleanupCondition waiting{"Deleting", std::string(kWaitingOnCleanup), "waiting"};
  const json::array with = WithConditions(Conditions(2), {held, waiting}, "T1");
  EXPECT_EQ(Serialize(with),
            R"([{"phase":"P","reason":"R0"},{"lastTransitionTime":"T1","lastUpdateTime":"T1",)"
            R"("message":"held","phase":"Succeeded","reason":"RightsHeld"},)"
            R"({"phase":"P","reason":"R1"},{"lastTransitionTime":"T1","lastUpdateTime":"T1",)"
            R"("message":"waiting","phase":"Deleting","reason":"WaitingOnCleanup"}])");
  EXPECT_EQ(WithConditions(with, {held, waiting}, "T2"), with) << "nothing new: nothing changes";
  const CleanupCondition fewer{"Deleting", std::string(kWaitingOnCleanup), "fewer"};
  const json::array later = WithConditions(with, {held, fewer}, "T3");
  EXPECT_EQ(later[3].at("lastTransitionTime"), "T1");
  EXPECT_EQ(later[3].at("lastUpdateTime"), "T3");
  EXPECT_EQ(WithConditions(later, {}, "T4"), Conditions(2));
  EXPECT_TRUE(HasCondition(with, kRightsHeld));
  EXPECT_FALSE(HasCondition(with, kRightsMayBeLost));
}

TEST(StatusTest, ConditionsAreBounded) {
  const CleanupCondition waiting{"Deleting", std::string(kWaitingOnCleanup),
                                 std::string(5000, 'x')};
  const json::array with = WithConditions(Conditions(30), {waiting}, "T1");
  ASSERT_EQ(with.size(), kMaxConditions);
  EXPECT_EQ(with[0].at("reason"), "R11");
  EXPECT_EQ(with[18].at("reason"), "R29");
  EXPECT_EQ(with[19].at("message").as_string().size(), kMaxConditionMessage);
}

ObjectFacts Role(bool held, bool deleting) {
  ObjectFacts role;
  role.key = {"", "widget-role"};
  role.uid = "role-uid";
  if (held) role.finalizers = {std::string(kHoldFinalizer)};
  if (deleting) role.deletion_timestamp = "2026-01-01T00:00:00Z";
  return role;
}

TEST(HoldsTest, OwnersByLabel) {
  EXPECT_EQ(OwnerOf({{"olm.owner", "w"},
                     {"olm.owner.namespace", "ops"},
                     {"olm.owner.kind", "ClusterServiceVersion"}}),
            (kube::NamespacedName{"ops", "w"}));
  EXPECT_EQ(OwnerOf({{"olm.owner", "w"}, {"olm.owner.namespace", "ops"}}), std::nullopt);
  EXPECT_EQ(OwnerOf({{"olm.owner", "w"}, {"olm.owner.kind", "ClusterServiceVersion"}}),
            std::nullopt);
  EXPECT_EQ(OwnerSelector({"ops", "w"}),
            "olm.owner=w,olm.owner.namespace=ops,olm.owner.kind=ClusterServiceVersion");
}

struct HoldCase {
  const char* name;
  bool held, object_deleting, csv_there, csv_deleting, opted_in;
  const char* phase;
  bool rights_released;
  HoldAction want;
};
class HoldTest : public ::testing::TestWithParam<HoldCase> {};
TEST_P(HoldTest, Next) {
  const HoldCase& c = GetParam();
  CsvFacts csv = TestCsv();
  if (!c.csv_deleting) csv.deletion_timestamp = "";
  csv.cleanup_enabled = c.opted_in;
  csv.phase = c.phase;
  if (c.rights_released) csv.rights_released = "Completed";
  EXPECT_EQ(NextHoldAction(Role(c.held, c.object_deleting), c.csv_there ? &csv : nullptr), c.want);
}
const HoldCase kHolds[] = {
    {"Add", false, false, true, false, true, "Succeeded", false, HoldAction::kAdd},
    {"Keep", true, false, true, false, true, "Succeeded", false, HoldAction::kNone},
    {"KeepWhileDeleting", true, true, true, true, true, "Succeeded", false, HoldAction::kNone},
    {"AddWhileDeleting", false, false, true, true, true, "Succeeded", false, HoldAction::kAdd},
    {"TooLate", false, true, true, true, true, "Succeeded", false, HoldAction::kNone},
    {"Revoked", true, true, true, false, true, "Succeeded", false, HoldAction::kRelease},
    {"RevokedAndNotHeld", false, true, true, false, true, "Succeeded", false, HoldAction::kNone},
    {"OwnerGone", true, false, false, false, true, "Succeeded", false, HoldAction::kRelease},
    {"OwnerGoneAndNotHeld", false, false, false, false, true, "", false, HoldAction::kNone},
    {"OptedOut", true, false, true, true, false, "Succeeded", false, HoldAction::kRelease},
    {"Replacing", true, false, true, false, true, "Replacing", false, HoldAction::kRelease},
    {"Replaced", true, false, true, true, true, "Deleting", false, HoldAction::kRelease},
    {"StillInstalling", false, false, true, false, true, "Installing", false, HoldAction::kAdd},
    {"R_000_89_RightsReleased", true, true, true, true, true, "Succeeded", true,
     HoldAction::kRelease},
};
INSTANTIATE_TEST_SUITE_P(All, HoldTest, ::testing::ValuesIn(kHolds),
                         [](const auto& info) { return std::string(info.param.name); });

// OLM overwrites a copy's metadata with that of its original.
TEST(HoldsTest, NothingIsHeldForACopy) {
  CsvFacts csv = TestCsv();
  csv.deletion_timestamp = "";
  EXPECT_TRUE(WantsHolds(csv));
  csv.copied_from = "else";
  EXPECT_FALSE(WantsHolds(csv));
  EXPECT_EQ(NextHoldAction(Role(true, false), &csv), HoldAction::kRelease);
}

// The operator must be able to finish a cleanup that has begun, whatever users do to its object
// meanwhile.
TEST(HoldsTest, R_000_73_WhatWasBegunIsHeldToItsEnd) {
  for (const bool recorded : {true, false}) {
    for (const char* phase : {"Replacing", "Deleting"}) {
      CsvFacts csv = TestCsv();
      csv.phase = phase;
      csv.copied_from = "elsewhere";
      EXPECT_FALSE(WantsHolds(csv));
      if (recorded) csv.record = "{}";
      if (!recorded) csv.said_waiting = true;
      EXPECT_TRUE(WantsHolds(csv));
      EXPECT_EQ(NextHoldAction(Role(true, true), &csv), HoldAction::kNone);
      csv.rights_released = "Refused: x";
      EXPECT_FALSE(WantsHolds(csv));
    }
  }
}

TEST(HoldsTest, Conditions) {
  CsvFacts csv = TestCsv();
  csv.deletion_timestamp = "";
  const auto reason = [&csv](bool was_held, const std::vector<ObjectFacts>& objects) {
    const auto condition = RightsCondition(csv, was_held, objects);
    return condition ? condition->reason : "";
  };
  EXPECT_EQ(reason(false, {Role(true, false)}), kRightsHeld);
  EXPECT_EQ(reason(false, {}), kRightsHeld);
  EXPECT_EQ(reason(true, {Role(true, false), Role(false, false)}), "");
  csv = TestCsv();
  EXPECT_EQ(reason(true, {Role(true, true)}), kRightsHeld);
  EXPECT_EQ(reason(false, {Role(true, false)}), kRightsMayBeLost);
  EXPECT_EQ(reason(true, {Role(true, true), Role(false, true)}), kRightsMayBeLost);
  csv.cleanup_enabled = false;
  EXPECT_EQ(reason(true, {Role(true, true)}), "");
}

TEST(WaitingTest, EitherFinalizerOfWhatIsBeingDeleted) {
  for (const std::string_view finalizer : {kCleanupFinalizer, kLegacyCleanupFinalizer}) {
    CsvFacts csv = TestCsv();
    csv.finalizers = {std::string(finalizer)};
    EXPECT_TRUE(WaitsForCleanup(csv)) << finalizer;
    csv.deletion_timestamp = "";
    EXPECT_FALSE(WaitsForCleanup(csv)) << finalizer;
  }
  CsvFacts csv = TestCsv();
  csv.finalizers = {"example.com/other"};
  EXPECT_FALSE(WaitsForCleanup(csv));
}

}  // namespace
}  // namespace steward::olm

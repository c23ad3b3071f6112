#include "olm/cleanup/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/status.h"
#include "olm/csv_facts.h"
#include "olm/decode.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Phase = CleanupPhase;
using Reason = CleanupReason;

// An operator in "ops" that would be cleaned up in "a" and "b"; each test changes it.
struct Scene {
  std::string finalizers = R"(["operatorframework.io/delete-custom-resources"])";
  std::string deleted;
  std::string annotations = "{}";
  bool enabled = true;
  std::string phase = "Succeeded";
  std::string pending = "[]";
  std::string conditions = "[]";
  bool namespace_there = true;
  std::string namespace_phase = "Active";
  std::vector<std::string> group_specs = {R"({"targetNamespaces":["a","b"]})"};
  std::string group_status = R"({"namespaces":["a","b"]})";
  std::vector<std::string> selected;
  std::vector<kube::NamespacedName> owners = {{"ops", "widget.v1"}};
  std::vector<kube::NamespacedName> requirers;
  std::vector<kube::NamespacedName> replacers;

  OutlookInputs Inputs() const {
    OutlookInputs inputs;
    const std::string deletion =
        deleted.empty() ? "" : StrCat(R"("deletionTimestamp":")", deleted, R"(",)");
    inputs.csv =
        *DecodeCsv(StrCat(R"({"metadata":{"name":"widget.v1","namespace":"ops","uid":"csv-uid",)",
                          R"("creationTimestamp":"2026-01-01T00:00:00Z","labels":{"color":"red"},)",
                          deletion, R"("finalizers":)", finalizers, R"(,"annotations":)",
                          annotations, R"(},"spec":{"cleanup":{"enabled":)",
                          enabled ? "true" : "false", R"(},"customresourcedefinitions":{"owned":[)",
                          R"({"name":"widgets.example.com","kind":"Widget","version":"v1"},)",
                          R"({"name":"gadgets.example.com","kind":"Gadget","version":"v1"}]}},)",
                          R"("status":{"phase":")", phase, R"(","cleanup":{"pendingDeletion":)",
                          pending, R"(},"conditions":)", conditions, "}}"));
    if (namespace_there) {
      inputs.install_namespace =
          *DecodeNamespace(StrCat(R"({"metadata":{"name":"ops","uid":"u"},"status":{"phase":")",
                                  namespace_phase, R"("}})"));
    }
    for (const std::string& spec : group_specs) {
      inputs.groups.push_back(
          *DecodeOperatorGroup(StrCat(R"({"metadata":{"name":"g)", inputs.groups.size(),
                                      R"(","namespace":"ops","uid":"group-uid"},"spec":)", spec,
                                      R"(,"status":)", group_status, "}")));
    }
    if (!selected.empty()) {
      inputs.selected = std::make_shared<const std::vector<std::string>>(selected);
    }
    inputs.users = {std::make_shared<const CrdUsers>(CrdUsers{owners, requirers}),
                    std::make_shared<const CrdUsers>()};
    if (!replacers.empty()) {
      inputs.replacers = std::make_shared<const std::vector<kube::NamespacedName>>(replacers);
    }
    return inputs;
  }
};

std::string Condition(std::string_view reason, std::string_view message) {
  return StrCat(R"({"phase":"Deleting","reason":")", reason, R"(","message":")", message,
                R"(","lastUpdateTime":"2026-01-03T00:00:00Z",)",
                R"("lastTransitionTime":"2026-01-02T00:00:00Z"})");
}

constexpr char kPending[] =
    R"([{"group":"example.com","kind":"Widget","instances":[{"name":"w","namespace":"b"},)"
    R"({"name":"w","namespace":"a"}]}])";
constexpr char kWhen[] = "2026-01-02T03:04:05Z";

struct Row {
  const char* name;
  std::function<void(Scene&)> spoil;
  Phase phase;
  std::vector<Reason> reasons;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class OutlookTest : public ::testing::TestWithParam<Row> {};

TEST_P(OutlookTest, PhaseAndBlockers) {
  Scene scene;
  GetParam().spoil(scene);
  const CleanupOutlook outlook = OutlookOf(scene.Inputs());
  std::vector<Reason> reasons;
  for (const CleanupBlocker& blocker : outlook.blockers) reasons.push_back(blocker.reason);
  EXPECT_EQ(ToString(outlook.phase), ToString(GetParam().phase));
  EXPECT_EQ(reasons, GetParam().reasons);
}

const Row kRows[] = {
    {"Ready", [](Scene&) {}, Phase::kReady, {}},
    {"Disabled", [](Scene& s) { s.enabled = false; }, Phase::kDisabled, {Reason::kNotSupported}},
    {"DisabledWhileDeleting",
     [](Scene& s) { s.enabled = false, s.deleted = kWhen; },
     Phase::kDisabled,
     {Reason::kNotSupported}},
    {"NotOptedIn",
     [](Scene& s) { s.finalizers = R"(["operatorframework.io/cleanup-apis"])"; },
     Phase::kNotOptedIn,
     {Reason::kNotOptedIn}},
    {"WhatElseIsInTheWayIsToldBefore",
     [](Scene& s) {
       s.finalizers = "[]", s.owners.push_back({"else", "other.v1"});
     },
     Phase::kNotOptedIn,
     {Reason::kNotOptedIn, Reason::kSharedOwner}},
    {"R_000_65_Phase",
     [](Scene& s) { s.phase = "Pending"; },
     Phase::kRefused,
     {Reason::kPhaseNotSucceeded}},
    {"R_000_73_Foreground",
     [](Scene& s) {
       s.deleted = kWhen;
       s.finalizers = R"(["foregroundDeletion","operatorframework.io/delete-custom-resources"])";
     },
     Phase::kRefused,
     {Reason::kOperatorGone}},
    {"R_000_75_NamespaceTerminating",
     [](Scene& s) { s.namespace_phase = "Terminating"; },
     Phase::kRefused,
     {Reason::kInstallNamespaceTerminating}},
    {"R_000_75_NamespaceGone",
     [](Scene& s) { s.namespace_there = false; },
     Phase::kRefused,
     {Reason::kInstallNamespaceTerminating}},
    {"R_000_75_GroupGone",
     [](Scene& s) { s.group_specs.clear(); },
     Phase::kRefused,
     {Reason::kOperatorGroupGone}},
    {"R_000_63_TwoGroups",
     [](Scene& s) { s.group_specs.push_back("{}"); },
     Phase::kRefused,
     {Reason::kOperatorGroupNotUnique}},
    {"GroupInvalid",
     [](Scene& s) { s.group_specs = {R"({"targetNamespaces":[""]})"}; },
     Phase::kRefused,
     {Reason::kOperatorGroupInvalid}},
    {"R_000_62_NotSynced",
     [](Scene& s) { s.group_status = "{}"; },
     Phase::kUnknown,
     {Reason::kOperatorGroupNotSynced}},
    {"StatusOfGroupUnreadable",
     [](Scene& s) { s.group_status = R"({"namespaces":[1]})"; },
     Phase::kUnknown,
     {Reason::kOperatorGroupUnreadable}},
    {"SpecOfGroupUnreadable",
     [](Scene& s) { s.group_specs = {R"({"selector":"a=b"})"}; },
     Phase::kUnknown,
     {Reason::kOperatorGroupUnreadable}},
    {"R_000_59_SharedOwner",
     [](Scene& s) {
       s.owners.push_back({"else", "other.v1"});
     },
     Phase::kRefused,
     {Reason::kSharedOwner}},
    {"R_000_61_Required",
     [](Scene& s) {
       s.requirers = {{"else", "other.v1"}};
     },
     Phase::kRefused,
     {Reason::kRequiredByOther}},
    {"ItMayRequireItsOwn",
     [](Scene& s) {
       s.requirers = {{"ops", "widget.v1"}};
     },
     Phase::kReady,
     {}},
    {"BeingReplaced",
     [](Scene& s) {
       s.replacers = {{"ops", "widget.v2"}};
     },
     Phase::kRefused,
     {Reason::kBeingReplaced}},
    {"RecordOfAnotherGroup",
     [](Scene& s) {
       s.annotations =
           R"({"steward.operatorframework.io/cleanup-record":)"
           R"("{\"targets\":\"*\",\"csvUID\":\"csv-uid\",\"operatorGroupUID\":\"x\",\"definitions\":{}}"})";
     },
     Phase::kRefused,
     {Reason::kOperatorGroupChanged}},

    {"R_000_76_Unconfirmed",
     [](Scene& s) { s.conditions = StrCat("[", Condition(kOptInUnconfirmed, "x"), "]"); },
     Phase::kRefused,
     {Reason::kOptInUnconfirmed}},
    {"R_000_76_UnconfirmedWhileItWasOptedIn",
     [](Scene& s) {
       s.finalizers = "[]";
       s.conditions = StrCat("[", Condition(kOptInUnconfirmed, "x"), "]");
     },
     Phase::kNotOptedIn,
     {Reason::kNotOptedIn}},
    {"Deleting", [](Scene& s) { s.deleted = kWhen, s.pending = kPending; }, Phase::kDeleting, {}},
    {"Draining",
     [](Scene& s) {
       s.deleted = kWhen, s.pending = kPending;
       s.owners.push_back({"else", "other.v1"});
     },
     Phase::kDraining,
     {Reason::kSharedOwner}},
    {"RefusedAndNothingBegun",
     [](Scene& s) {
       s.deleted = kWhen, s.owners.push_back({"else", "other.v1"});
     },
     Phase::kRefused,
     {Reason::kSharedOwner}},
    {"UnknownWhileDeleting",
     [](Scene& s) { s.deleted = kWhen, s.pending = kPending, s.group_status = "{}"; },
     Phase::kUnknown,
     {Reason::kOperatorGroupNotSynced}},
    {"Stalled",
     [](Scene& s) {
       s.deleted = kWhen, s.pending = kPending;
       s.conditions = StrCat("[", Condition(kCleanupStalled, "NoProgress: w"), "]");
     },
     Phase::kStalled,
     {}},
    {"StalledBeforeTheDeleteIsAWordOfThePast",
     [](Scene& s) { s.conditions = StrCat("[", Condition(kCleanupStalled, "x"), "]"); },
     Phase::kReady,
     {}},
    {"WhatOnlyALiveLookTells",
     [](Scene& s) {
       s.deleted = kWhen;
       s.conditions = StrCat("[", Condition(kCleanupUnknown, "widgets: 403"), "]");
     },
     Phase::kUnknown,
     {}},
    {"RefusedByALiveLook",
     [](Scene& s) {
       s.deleted = kWhen;
       s.conditions = StrCat("[", Condition(kCleanupRefused, "OperatorGone"), "]");
     },
     Phase::kRefused,
     {}},
};
INSTANTIATE_TEST_SUITE_P(All, OutlookTest, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OutlookValuesTest, WhatTheOperatorSaysOfItself) {
  Scene scene;
  scene.deleted = kWhen;
  scene.pending = kPending;
  scene.conditions = StrCat("[", Condition("InstallSucceeded", "x"), ",",
                            Condition(kWaitingOnCleanup, WaitingMessage(250)), ",",
                            Condition(kCleanupStalled, "NoProgress: w"), "]");
  const CleanupOutlook outlook = OutlookOf(scene.Inputs());
  EXPECT_EQ(outlook.key, (kube::NamespacedName{"ops", "widget.v1"}));
  EXPECT_EQ(outlook.csv_uid, "csv-uid");
  EXPECT_EQ(outlook.created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(outlook.labels, (kube::LabelMap{{"color", "red"}}));
  EXPECT_TRUE(outlook.enabled && outlook.opted_in);
  EXPECT_THAT(outlook.resources, ElementsAre(OwnedResource{"example.com", "Gadget", "gadgets"},
                                             OwnedResource{"example.com", "Widget", "widgets"}));
  EXPECT_THAT(outlook.pending, ElementsAre(PendingOperand{"example.com", "Widget", "a", "w"},
                                           PendingOperand{"example.com", "Widget", "b", "w"}));
  EXPECT_EQ(outlook.pending_count, 250u);
  EXPECT_EQ(ResourceOf(outlook, outlook.pending[0]), "widgets.example.com");
  EXPECT_EQ(ResourceOf(outlook, {"example.com", "Thing", "a", "w"}), "");
  EXPECT_EQ(outlook.started_at, kWhen);
  EXPECT_EQ(outlook.stalled_since, "2026-01-02T00:00:00Z");
  ASSERT_EQ(outlook.conditions.size(), 2u);
  EXPECT_EQ(outlook.conditions[0].reason, kWaitingOnCleanup);
}

TEST(OutlookValuesTest, ADefinitionThatIsBeingDeletedIsNoCustomResource) {
  Scene scene;
  scene.deleted = kWhen;
  const auto with_definition = [&scene](const char* more) {
    scene.pending = StrCat(R"([{"group":"apiextensions.k8s.io","kind":"CustomResourceDefinition",)",
                           R"("instances":[{"name":"widgets.example.com"}]})", more, "]");
    return OutlookOf(scene.Inputs());
  };
  CleanupOutlook outlook = with_definition(
      R"(,{"group":"example.com","kind":"Widget","instances":[{"namespace":"a","name":"w"}]})");
  EXPECT_EQ(outlook.pending_count, 1u);
  ASSERT_EQ(outlook.pending.size(), 2u);
  EXPECT_EQ(ResourceOf(outlook, outlook.pending[0]),
            "customresourcedefinitions.apiextensions.k8s.io");
  scene.owners.push_back({"else", "other.v1"});
  outlook = with_definition("");
  EXPECT_EQ(outlook.pending_count, 0u);
  EXPECT_EQ(outlook.phase, CleanupPhase::kDraining) << "it is waited for";
}

TEST(OutlookValuesTest, Targets) {
  const auto targets = [](const std::function<void(Scene&)>& spoil) {
    Scene scene;
    spoil(scene);
    return OutlookOf(scene.Inputs()).targets;
  };
  EXPECT_EQ(targets([](Scene&) {}), TargetSet::Of({"a", "b"}));
  EXPECT_EQ(targets([](Scene& s) { s.group_status = R"({"namespaces":["b","c"]})"; }),
            TargetSet::Of({"b"}));
  EXPECT_EQ(targets([](Scene& s) { s.group_status = "{}"; }), TargetSet::Of({"a", "b"}));
  EXPECT_EQ(
      targets([](Scene& s) { s.group_specs = {"{}"}, s.group_status = R"({"namespaces":[""]})"; }),
      TargetSet::All());
  EXPECT_EQ(targets([](Scene& s) {
              s.group_specs = {R"({"selector":{"matchLabels":{"x":"y"}}})"};
              s.group_status = R"({"namespaces":["a","b"]})";
              s.selected = {"b", "c"};
            }),
            TargetSet::Of({"b"}));
  EXPECT_EQ(targets([](Scene& s) {
              s.annotations = R"({"steward.operatorframework.io/cleanup-record":)"
                              R"("{\"targets\":[\"a\"],\"csvUID\":\"csv-uid\",)"
                              R"(\"operatorGroupUID\":\"group-uid\",\"definitions\":{}}"})";
            }),
            TargetSet::Of({"a"}));
  EXPECT_EQ(targets([](Scene& s) { s.group_specs.push_back("{}"); }), TargetSet());
}

TEST(OutlookValuesTest, ASpecThatCannotBeUnderstoodStillGivesOne) {
  OutlookInputs inputs;
  inputs.csv = *DecodeCsv(R"({"metadata":{"name":"n","namespace":"ops","uid":"u"},)"
                          R"("spec":{"customresourcedefinitions":{"owned":7}}})");
  const CleanupOutlook outlook = OutlookOf(inputs);
  EXPECT_EQ(outlook.phase, Phase::kDisabled);
  EXPECT_THAT(outlook.resources, IsEmpty());
}

}  // namespace
}  // namespace steward::olm

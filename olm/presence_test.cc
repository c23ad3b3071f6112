#include "olm/presence.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status/matchers.h"
#include "kube/meta/selector.h"

namespace steward::olm {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

class PresenceTest : public ::testing::Test {
 protected:
  PresenceTest() {
    csv_.key = {"ops", "widgets.v1"};
    csv_.created = "2026-11-01T00:00:00Z";
    csv_.phase = "Succeeded";
    in_.csv = &csv_;
    in_.ns = "web";
    in_.labels = kube::LabelMap{{"team", "red"}};
    in_.modes = {{InstallMode::kAllNamespaces, true}, {InstallMode::kMultiNamespace, true}};
    in_.targets = TargetSummary{.all = true};
    SetGroup(OperatorGroup());
  }

  void SetGroup(OperatorGroup group) {
    if (group.key.name.empty()) group.key = {"ops", "group"};
    in_.groups = {std::make_shared<const OperatorGroup>(std::move(group))};
  }
  void SetSelector(const char* text) {
    OperatorGroup group;
    group.selector = *kube::LabelSelector::Parse(text);
    SetGroup(group);
    in_.targets = TargetSummary{.count = 2};
  }
  // Expects the answers, and a finding.
  void Expect(Answer watches, Answer shown, const char* rule, Answer answer, const char* text) {
    const Presence presence = ExplainPresence(in_);
    EXPECT_EQ(presence.watches, watches);
    EXPECT_EQ(presence.shown, shown);
    EXPECT_THAT(presence.findings, Contains(AllOf(Field(&PresenceFinding::rule, rule),
                                                  Field(&PresenceFinding::answer, answer),
                                                  Field(&PresenceFinding::text, HasSubstr(text)))));
  }

  Csv csv_;
  PresenceInputs in_;
};

TEST_F(PresenceTest, AllNamespaces) {
  Expect(Answer::kYes, Answer::kYes, "Targets", Answer::kYes,
         "OperatorGroup ops/group targets all namespaces");
  Expect(Answer::kYes, Answer::kYes, "InstallMode", Answer::kYes, "AllNamespaces is supported");
}

TEST_F(PresenceTest, Lists) {
  OperatorGroup group;
  group.target_namespaces = {"a", "b", "c", "d", "e", "f"};
  SetGroup(group);
  in_.targets = TargetSummary{.count = 6};
  Expect(Answer::kNo, Answer::kNo, "Targets", Answer::kNo,
         "targets a, b, c, d, e and 1 more by name, and not web");
  group.target_namespaces = {"a", "web"};
  SetGroup(group);
  Expect(Answer::kYes, Answer::kYes, "Targets", Answer::kYes, "targets a, web by name");
}

TEST_F(PresenceTest, Labels) {
  SetSelector("team=red,!old");
  Expect(Answer::kYes, Answer::kYes, "Label", Answer::kYes, "team=red: web has team=red");
  Expect(Answer::kYes, Answer::kYes, "Label", Answer::kYes, "!old: web has no label old");
  SetSelector("team in (blue, green),tier");
  Expect(Answer::kNo, Answer::kNo, "Label", Answer::kNo, "team in (blue, green): web has team=red");
  Expect(Answer::kNo, Answer::kNo, "Label", Answer::kNo, "tier: web has no label tier");
  in_.labels.reset();
  Expect(Answer::kUnknown, Answer::kUnknown, "Targets", Answer::kUnknown,
         "the labels of web cannot be read");
}

TEST_F(PresenceTest, Groups) {
  in_.groups->clear();
  Expect(Answer::kNo, Answer::kNo, "OperatorGroup", Answer::kNo, "ops has no OperatorGroup");
  SetGroup(OperatorGroup());
  OperatorGroup second;
  second.key = {"ops", "other"};
  in_.groups->push_back(std::make_shared<const OperatorGroup>(second));
  Expect(Answer::kNo, Answer::kNo, "OperatorGroup", Answer::kNo,
         "ops has 2 OperatorGroups (group, other), of which none counts");
  OperatorGroup invalid;
  invalid.invalid = "the selector is none";
  SetGroup(invalid);
  Expect(Answer::kNo, Answer::kNo, "OperatorGroup", Answer::kNo, "the selector is none");
  in_.groups.reset();
  Expect(Answer::kUnknown, Answer::kUnknown, "OperatorGroup", Answer::kUnknown, "cannot be read");
}

TEST_F(PresenceTest, ModesAndPhases) {
  in_.modes->clear();
  Expect(Answer::kNo, Answer::kYes, "InstallMode", Answer::kNo,
         "AllNamespaces InstallModeType not");
  csv_.phase = "Failed";
  csv_.reason = "UnsupportedOperatorGroup";
  Expect(Answer::kNo, Answer::kNo, "Phase", Answer::kNo, "UnsupportedOperatorGroup");
  csv_.phase = csv_.reason = "";
  in_.targets.reset();
  Expect(Answer::kNo, Answer::kNo, "InstallMode", Answer::kUnknown, "Not all namespaces");
  Expect(Answer::kNo, Answer::kNo, "Phase", Answer::kNo, "has no phase");
}

TEST_F(PresenceTest, ItsOwnNamespaceAlwaysShowsIt) {
  in_.ns = "ops";
  in_.groups->clear();
  Expect(Answer::kNo, Answer::kYes, "Own", Answer::kYes, "installed in this namespace");
}

TEST_F(PresenceTest, OfTwoWithOneNameOneIsShown) {
  Csv rival = csv_;
  rival.key.ns = "other";
  rival.created = "2025-11-01T00:00:00Z";
  in_.rival = &rival;
  Expect(Answer::kYes, Answer::kNo, "SameName", Answer::kNo, "other/widgets.v1, which is older");
  rival.created = "2026-11-02T00:00:00Z";
  Expect(Answer::kYes, Answer::kYes, "SameName", Answer::kYes, "in place of other/widgets.v1");
  rival.key.ns = "web";
  Expect(Answer::kYes, Answer::kNo, "SameName", Answer::kNo, "which is installed here");
}

}  // namespace
}  // namespace steward::olm
